import { expect, it } from 'vitest';
import { ordinaryTraffic } from '../src/play/ordinary.ts';
import { seededRandom } from '../src/play/random.ts';
import type { Step } from '../src/play/story.ts';
import { stories } from '../src/stories/all.ts';

const trusted = 'EXAMPLE-BANK';

/** Resources of a story. Rules count by these, so two stories that share one could trigger each other's rules. */
function touched(steps: readonly Step[]): readonly string[] {
  return steps.flatMap((step) => [
    `user ${step.user}`,
    `session ${step.session}`,
    ...(step.does === 'logIn' ? [`address ${step.ip}`] : []),
    ...(step.does === 'operate' && step.payee !== undefined && step.payee.bank !== trusted
      ? [`account ${step.payee.account}`]
      : []),
  ]);
}

it('share no user, session or account with each other or with ordinary clients', () => {
  const tales = [
    ...stories.map(({ steps }) => steps),
    ordinaryTraffic(seededRandom(1), { clients: 60, spanMs: 20_000 }),
  ];
  const all = tales.flatMap((steps) => [...new Set(touched(steps))]);
  expect(all.filter((one, index) => all.indexOf(one) !== index)).toEqual([]);
});
