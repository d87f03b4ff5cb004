/** The list of outcomes on the command line. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { outcomeKit, type OutcomeKit } from '../outcomes/support.ts';
import { ringfence, type Said } from '../support/terminal.ts';

let kit: OutcomeKit;
let event: string;

beforeAll(async () => {
  kit = await outcomeKit();
  event = await kit.pay('ana', 'R-1');
  await kit.settled();
  await kit.report({ outcome: 'executed', event });
  await kit.report({ outcome: 'stepUpPassed', webhookId: 'act_k3x7q2ma_1_2_302_0' });
  await kit.report({ outcome: 'refund', user: 'leo', reference: 'R-2' });
  await kit.matcher().round();
});
afterAll(() => kit.close());

function run(line: string): Promise<Said> {
  return ringfence(`outcomes ${line} -w bank`, { environment: kit.home.environment, folder: '/' });
}

it('lists all, newest first, with what each is about', async () => {
  const { out, code } = await run('--limit 50');
  expect(code).toBe(0);
  const [head, ...lines] = out.trim().split('\n');
  expect(head).toMatch(/^RECEIVED +OUTCOME +STATE +ABOUT +BY +REASON$/);
  expect(lines).toEqual([
    expect.stringMatching(/ refund +waiting +leo R-2 +token:test +this client has no operation with this reference$/),
    expect.stringMatching(/ stepUpPassed +unmatched +act_k3x7q2ma_1_2_302_0 +token:test +the action is not of this/),
    expect.stringContaining(` ${event} `),
  ]);
});

it('lists the unmatched ones, the waiting ones, or those of an event', async () => {
  const outcomes = async (line: string): Promise<readonly string[]> =>
    (JSON.parse((await run(`${line} --json`)).out) as readonly { outcome: string }[]).map(({ outcome }) => outcome);
  expect(await outcomes('--unmatched')).toEqual(['stepUpPassed']);
  expect(await outcomes('--waiting')).toEqual(['refund']);
  expect(await outcomes(`--event ${event}`)).toEqual(['executed']);
  expect(await outcomes('--limit 2')).toEqual(['refund', 'stepUpPassed']);
  expect((await run('--unmatched --waiting')).code).toBe(2);
});
