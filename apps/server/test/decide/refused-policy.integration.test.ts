/**
 * A stored policy that this release refuses pauses only its workspace, loses nothing, and is fixed by another version.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PolicyCache, type Replacement } from '../../src/policies/policy-cache.ts';
import { replay } from '../../src/decide/replay.ts';
import { readBacklogs } from '../../src/platform/observability/backlog.ts';
import { verifyLog } from '../../src/backtest/replay/verify-log.ts';
import { activatePolicy, applyPolicy } from '../../src/policies/policy-store.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene } from './support.ts';

let home: Installation;
let scene: Scene;

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
});
afterEach(async () => {
  await scene.close();
  await home.close();
});

const rules = (more = ''): string => `
features:
  paid: { count: true, by: client.id, over: 7d }
rules:
  - { reason: 1, name: third payment, on: [operation], when: paid >= 3, then: { action: 2 } }
${more}`;
const files = (text: string): { path: string; text: string }[] => [{ path: 'rules.yaml', text }];

async function apply(text: string): Promise<number> {
  const wanted = { files: files(text), author: 'ana', comment: '', actor: 'api' } as const;
  return (await applyPolicy({ ...home.deps, log: scene.log }, scene.workspace.id, wanted)).version;
}

/** Simulates an upgrade: the files of the active version no longer pass the checks. */
async function refuse(version: number): Promise<void> {
  const wrong = JSON.stringify(
    files(rules('  - { reason: 2, name: of an older release, when: order.amout > 1, then: { action: 2 } }')),
  );
  await scene.pool.query(`update policy_version set files = $3 where workspace_id = $1 and version = $2`, [
    scene.workspace.id,
    version,
    wrong,
  ]);
}

const pay = (to?: Workspace): Promise<unknown> => {
  const order = { amount: 5, currency: 'MXN' };
  const transaction = { category: 'transfer' };
  const body = { channelId: 1, timestamp: new Date().toISOString(), transaction, account: { client: 'ana' }, order };
  return scene.send('operation', { ...body, accountTo: { bank: 'B1', accountNumber: '42' } }, to);
};

async function fired(workspace = scene.workspace): Promise<readonly number[][]> {
  const found = await scene.pool.query<{ fired: number[] }>(
    `select fired from event where workspace_id = $1 order by "offset"`,
    [workspace.id],
  );
  return found.rows.map((row) => row.fired);
}

async function paused(): Promise<string | undefined> {
  const all = await readBacklogs(scene.pool, scene.log, Date.now());
  return all.find(({ id }) => id === scene.workspace.id)?.paused;
}

/** A process of the release that refuses the policy: nothing is compiled yet. */
const upgraded = (): ReturnType<Scene['startHost']> => scene.startHost({ policies: new PolicyCache(scene.pool) });

async function begun(): Promise<void> {
  await apply(rules());
  const host = scene.startHost();
  await host.ready;
  await pay();
  await pay();
  await scene.settled();
  await host.stop();
}

it.each(['another version', 'an older one'])('is fixed by %s: events waited, windows are kept', async (how) => {
  const older = await apply(rules('  - { reason: 3, name: of before, when: paid >= 3, then: { action: 2 } }'));
  await begun();
  await refuse(3);
  const other = await scene.addWorkspace();
  const host = upgraded();
  await expect.poll(paused).toMatch(/^policy version 3 is invalid: rules\.yaml:\d+:\d+ there is no .*order\.amout/);
  await pay();
  await pay(other);
  await expect.poll(() => fired(other)).toHaveLength(1);
  expect(await fired()).toEqual([[], []]);

  const deps = { ...home.deps, log: scene.log };
  if (how === 'another version') await apply(rules('# mended'));
  else await activatePolicy(deps, scene.workspace.id, { version: older, actor: 'api' });
  await scene.settled();
  expect(await fired()).toEqual(how === 'another version' ? [[], [], [1]] : [[], [], [1, 3]]);
  expect(await paused()).toBeUndefined();
  await host.stop();
});

it('pauses nothing when it is no longer active: the active one replaces it, and the verification reports that', async () => {
  await begun();
  const { end: from } = await scene.log.head(scene.workspace.id);
  await apply(rules('  - { reason: 4, name: of after, when: paid >= 3, then: { action: 2 } }'));
  const before = scene.startHost();
  await pay();
  await scene.settled();
  await before.stop();
  await refuse(2);
  const host = upgraded();
  await host.ready;
  await pay();
  await scene.settled();
  await host.stop();
  expect(await paused()).toBeUndefined();

  const replaced: Replacement[] = [];
  const policies = new PolicyCache(scene.pool, (one) => replaced.push(one));
  const deps = { pool: scene.pool, log: scene.log, subjects: scene.subjects, policies };
  const found = await verifyLog(deps, scene.workspace, () => {});
  const reason = 'decided by policy version 2, which is no longer valid; version 3 replaces it';
  expect(found).toMatchObject({ differences: { unexplained: 0 } });
  expect(found.gaps).toEqual([expect.objectContaining({ kind: 'policy', to: from, reason })]);
  expect(replaced).toEqual([expect.objectContaining({ workspaceId: scene.workspace.id, by: 3 })]);
});

it('is replaced in every replay by the version that decided instead', async () => {
  await begun();
  await refuse(2);
  await pay();
  const host = upgraded();
  await expect.poll(paused).toBeDefined();
  await apply(rules('# mended'));
  await scene.settled();
  await host.stop();
  const found = await scene.pool.query<{ next_offset: number; digest: Buffer }>(
    `select next_offset, digest from engine_position where workspace_id = $1`,
    [scene.workspace.id],
  );
  const { next_offset: end, digest } = found.rows[0]!;
  const deps = { pool: scene.pool, log: scene.log, subjects: scene.subjects, policies: new PolicyCache(scene.pool) };
  const again = await replay(deps, scene.workspace, { end, quarantined: new Set() });
  expect(Buffer.from(again.digest).toString('hex')).toBe(digest.toString('hex'));
});
