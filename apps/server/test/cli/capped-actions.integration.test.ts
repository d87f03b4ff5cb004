/** Capped actions on the command line: they are listed, and released or dropped. */
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
  folder = mkdtempSync(join(tmpdir(), 'ringfence-held-'));
  mkdirSync(join(folder, 'capped'));
  writeFileSync(
    join(folder, 'capped', 'rules.yaml'),
    `rules:
  - { reason: 900, name: Every payment, when: order.amount > 0, then: { action: 2 }, maxActions: [3 per day, 1 per day per client] }
`,
  );
  await run('policy apply capped -w bank');
  scene.startHost();
  for (const client of ['ana', 'ana', 'leo', 'eva', 'max']) await pay(client);
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

function pay(client: string): Promise<unknown> {
  const order = { amount: 10, currency: 'MXN' };
  return scene.send('operation', { channelId: 1, timestamp: new Date().toISOString(), account: { client }, order });
}

async function listed(state: string): Promise<readonly { readonly id: string; readonly client?: string }[]> {
  const { out } = await run(`deliveries list -w bank --state ${state} --json`);
  return JSON.parse(out) as readonly { readonly id: string; readonly client?: string }[];
}

it('actions beyond the cap of a client or of the rule wait for a person', async () => {
  // The second action of ana exceeds the client's cap; that of max is the fourth of the rule.
  expect(new Set((await listed('capped')).map(({ client }) => client))).toEqual(new Set(['ana', 'max']));
  const { out } = await run('deliveries list -w bank --state capped');
  expect(out).toMatch(/^ID +STATE +ACTION +RULE .*\n.* capped +2 \(Close session\) +900 /);
});

it('capped actions are released by id or dropped by rule, and both are audited', async () => {
  const capped = await listed('capped');
  const released = capped.find(({ client }) => client === 'max')!.id;
  expect(await run(`deliveries release ${released} -w bank`)).toMatchObject({ code: 0, out: '1 action released.\n' });
  expect(await run('deliveries drop -w bank --state capped --reason 900')).toMatchObject({
    out: '1 action dropped.\n',
  });
  expect(await listed('capped')).toEqual([]);
  expect((await listed('dropped')).map(({ client }) => client)).toEqual(['ana']);
  const { rows } = await scene.pool.query<{ action: string; target: string | null; detail: string }>(
    `select action, target, detail from audit_entry where action in ('releaseActions', 'dropActions') order by seq`,
  );
  expect(rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) as unknown }))).toEqual([
    { action: 'releaseActions', target: released, detail: { command: 'deliveries release', changed: 1 } },
    {
      action: 'dropActions',
      target: null,
      detail: { command: 'deliveries drop', changed: 1, state: 'capped', reason: '900' },
    },
  ]);
});
