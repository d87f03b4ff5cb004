/** The list of suppressions on the command line. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeScene, type Scene } from '../decide/support.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { ringfence, type Said } from '../support/terminal.ts';

let home: Installation;
let scene: Scene;
let folder: string;
beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  folder = mkdtempSync(join(tmpdir(), 'ringfence-suppress-'));
  mkdirSync(join(folder, 'policy'));
  writeFileSync(
    join(folder, 'policy', 'rules.yaml'),
    'rules:\n  - { reason: 900, name: Every payment, when: order.amount > 0, then: { action: 2 } }\n',
  );
  await run('policy apply policy -w bank');
  scene.startHost();
  const order = { amount: 10, currency: 'MXN' };
  for (const client of ['ana', 'leo']) {
    await scene.send('operation', { channelId: 1, timestamp: new Date().toISOString(), account: { client }, order });
  }
  await scene.settled();
});
afterAll(async () => {
  await scene.close();
  await home.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(line: string): Promise<Said> {
  return ringfence(line, { environment: home.environment, folder });
}

const list = async (): Promise<string> => (await run('suppress list -w bank')).out;

it('suppress list shows clients and payees, and an erased client by its random id', async () => {
  for (const about of ['--client ana', '--client leo', '--payee B1/1']) {
    expect((await run(`suppress rule 900 ${about} --until 7d --why payroll -w bank`)).code).toBe(0);
  }
  for (const about of ['client ana', 'client leo', 'payee B1/1']) expect(await list()).toContain(` 900   ${about} `);
  const { out } = await run('suppress list -w bank --json');
  expect(JSON.parse(out)).toContainEqual(
    expect.objectContaining({ of: { kind: 'client', subject: expect.any(String), client: 'ana' } }),
  );
  await run('client erase leo -w bank --yes');
  expect(await list()).toContain('client ana');
  expect(await list()).not.toContain('leo');
  expect(await list()).toMatch(/client [a-z2-7]{16} /);
});

it('a newer suppression of the same rule and client replaces the older one, and ending it leaves none', async () => {
  const of = (about: string): Promise<string[]> =>
    list().then((out) => out.split('\n').filter((line) => line.includes(about)));
  const suppress = (until: string): Promise<Said> =>
    run(`suppress rule 900 --payee B1/2 --until ${until} --why x -w bank`);
  for (const until of ['7d', '1h']) expect((await suppress(until)).code).toBe(0);
  await run('suppress rule 900 --payee B1/22 --until 2h --why other -w bank');
  const [held, ...more] = await of('payee B1/2 ');
  expect(more).toEqual([]);
  expect((await suppress('30d')).code).toBe(0);
  const [later] = await of('payee B1/2 ');
  expect(later).not.toBe(held);
  expect((await run(`suppress end ${later!.split(' ')[0]!} -w bank`)).code).toBe(0);
  expect(await of('payee B1/2 ')).toEqual([]);
  expect(await of('payee B1/22 ')).toHaveLength(1);
});
