/** Held payments on the command line and in the metrics. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { minuteMs, secondMs } from '@ringfence/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendDueDecisions } from '../../src/holds/decide-hold.ts';
import { readHeldPayments } from '../../src/holds/held-payments.ts';
import { makeScene, type Scene } from '../decide/support.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { ringfence, type Said } from '../support/terminal.ts';

let home: Installation;
let scene: Scene;
let folder: string;
beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  folder = mkdtempSync(join(tmpdir(), 'ringfence-holds-'));
  mkdirSync(join(folder, 'holding'));
  writeFileSync(
    join(folder, 'holding', 'rules.yaml'),
    `actions:
  7: { name: Hold the payment, hold: { release: 8, reject: 9, within: 15m, otherwise: keep } }
  8: { name: Release the payment, message: released }
  9: { name: Reject the payment, message: rejected }
rules:
  - { reason: 900, name: Every payment, when: order.amount > 0, then: { action: 7 } }
`,
  );
  await run('policy apply holding -w bank');
  scene.startHost();
  for (const client of ['ana', 'leo']) await pay(client);
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

/** The metrics, as they are a while from now. */
async function measured(laterMs = 0): Promise<unknown> {
  return (await readHeldPayments(scene.pool, Date.now() + laterMs)).get(scene.workspace.id);
}

it('held payments are listed, rejected with a comment, counted, and audited', async () => {
  const holds = JSON.parse((await run('holds -w bank --json')).out) as readonly { id: string; client: string }[];
  expect(holds.map(({ client }) => client)).toEqual(['ana', 'leo']);
  expect((await run('holds list -w bank')).out).toMatch(
    /^ID +STATE +DEADLINE .*\n.* open .* keep +10 MXN +1 +900 +- +ana/,
  );
  expect(await measured()).toEqual({ open: 2, due: 0, undelivered: 0 });
  expect(await measured(6 * minuteMs)).toEqual({ open: 2, due: 2, undelivered: 0 });

  const { id } = holds[0]!;
  expect(await run(`holds reject ${id} -w bank --comment why`)).toMatchObject({
    code: 0,
    out: '1 payment will be rejected in 30 seconds by the running service.\n',
  });
  const again = await run(`holds release ${id} -w bank`);
  expect(again.code).toBe(1);
  expect(again.err).toMatch(/has decided to reject this payment. The first decision counts/);
  const deps = { ...home.deps, log: scene.log };
  await sendDueDecisions(deps, () => scene.workspace, Date.now() + 31 * secondMs);
  await scene.settled();
  expect((await run('holds list -w bank --state rejected')).out).toContain('reject (sent)');
  expect(await measured()).toEqual({ open: 1, due: 0, undelivered: 1 });
  const { rows } = await scene.pool.query<{ action: string; target: string }>(
    `select action, target from audit_entry where action = 'decideHolds' order by seq`,
  );
  expect(rows[0]).toEqual({ action: 'decideHolds', target: id });
});
