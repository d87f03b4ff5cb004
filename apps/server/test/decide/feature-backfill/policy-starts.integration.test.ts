/** Feature backfill: computed while the old policy decides, switched to by a record, replayed exactly. */
import { dayMs, type EpochMs, hourMs } from '@ringfence/contract';
import type { HistoryStart } from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { inTransaction } from '../../../src/platform/database/transactions.ts';
import { importHistory } from '../../../src/history/import-history.ts';
import { readMapping } from '../../../src/history/mapping/read-mapping.ts';
import { removeSegment } from '../../../src/history/segments.ts';
import { PolicyCache } from '../../../src/policies/policy-cache.ts';
import { planBackfill, type WarmFrom } from '../../../src/decide/feature-backfill/plan-backfill.ts';
import { switchPolicy } from '../../../src/decide/feature-backfill/switch-policy.ts';
import { appendPolicy } from '../../../src/tenancy/workspaces/settings-sync.ts';
import {
  baseLimit,
  cancelBackfills,
  insertBackfill,
  listBackfills,
  type PlannedBackfill,
} from '../../../src/tenancy/workspaces/backfill-rows.ts';
import { type Verification, verifyLog } from '../../../src/backtest/replay/verify-log.ts';
import { activatePolicy, type AppliedPolicy, applyPolicy, keepPolicy } from '../../../src/policies/policy-store.ts';
import { engineSettings, settingsPayload } from '../../../src/tenancy/workspaces/settings.ts';
import { readWorkspace } from '../../../src/tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../../../src/tenancy/workspaces/workspace.ts';
import { makeScene, type RunningHost, type Scene } from '../support.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';
import { shippedNetworks } from '../../support/networks.ts';
import { patience } from '../../../../../tools/testing/patience.ts';
import { loseStates } from '../../support/stored-states.ts';

let home: Installation;
let scene: Scene;
let host: RunningHost;
let nowMs = Date.now();

const kept = '  clientCount: { count: true, by: client.id, over: 90d, on: operation }';

/** One rule per expected value: the reason that fires shows which value a feature has. */
function filesWith(features: string, conditions: readonly string[]) {
  const rules = conditions.map(
    (when, at) => `  - { reason: ${at + 1}, name: rule ${at + 1}, when: '${when}', then: { action: 4, message: x } }`,
  );
  return [{ path: 'rules.yaml', text: `features:\n${features}\nrules:\n${rules.join('\n')}\n` }];
}

beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home, { now: () => nowMs as EpochMs });
  await apply(filesWith(kept, ['clientCount >= 1']));
  host = scene.startHost();
  await host.ready;
  for (let i = 0; i < 30; i++) await pay(`client-${i % 3}`, 10 + i);
  await scene.settled();
});
afterAll(async () => {
  await scene.close();
  await home.close();
});

/** @param settings for the backfill, in addition to those of the workspace */
async function apply(
  files: ReturnType<typeof filesWith>,
  warmFrom?: WarmFrom,
  settings: Partial<Workspace['settings']> = {},
): Promise<AppliedPolicy> {
  const stored = await readWorkspace(home.deps, scene.workspace.id);
  const workspace = { ...stored, settings: { ...stored.settings, ...settings } };
  const start = warmFrom === undefined ? undefined : await planBackfill(scene, workspace, warmFrom);
  const deps = { ...home.deps, log: scene.log };
  const applied = await applyPolicy(deps, workspace.id, { files, author: 'test', comment: '', actor: 'api', start });
  scene.changed();
  return applied;
}

let payments = 0;

async function pay(client: string | { client: string; session: string }, amount: number, accountNumber = '1') {
  nowMs += 1_000;
  payments += 1;
  return scene.send('operation', {
    channelId: 1,
    timestamp: new Date(nowMs).toISOString(),
    account: typeof client === 'string' ? { client } : client,
    order: { amount, currency: 'MXN' },
    accountTo: { bank: 'B1', accountNumber },
    transaction: { reference: `00000000-0000-4000-8000-${String(payments).padStart(12, '0')}` },
  });
}

async function firedOn(id: string): Promise<readonly number[]> {
  await scene.settled();
  const { rows } = await scene.pool.query<{ fired: number[] }>(`select fired from event where "offset" = $1`, [
    Number(id.split('_')[2]),
  ]);
  return rows[0]!.fired;
}

async function stateOf(version: number): Promise<string | undefined> {
  const starts = await listBackfills(scene.pool, scene.workspace.id);
  return starts.find((start) => start.version === version)?.state;
}

async function switched(version: number): Promise<void> {
  await vi.waitFor(async () => expect(await stateOf(version)).toBe('switched'), patience);
  await scene.settled();
}

function verified(): Promise<Verification> {
  return verifyLog({ ...scene, policies: new PolicyCache(scene.pool) }, scene.workspace, () => {});
}

it('a new feature includes the log before its policy, and an existing one keeps its values', async () => {
  const features = `${kept}\n  clientMax: { max: order.amount, by: client.id, over: 90d }`;
  const files = filesWith(features, ['clientCount == 11', 'clientMax == 37', 'clientMax == 1']);
  const { version, folding } = await apply(files, { sinceMs: undefined, history: [] });
  expect(folding).toBe(true);
  nowMs += 1_000;
  await switched(version);
  expect(await firedOn(await pay('client-0', 1))).toEqual([1, 2]);
  expect(await verified()).toMatchObject({ verdict: 'same' });
});

it('an edit that changes no feature is live immediately', async () => {
  const features = `${kept}\n  clientMax: { max: order.amount, by: client.id, over: 90d }`;
  const { folding } = await apply(filesWith(features, ['clientCount == 12']), { sinceMs: undefined, history: [] });
  expect(folding).toBe(false);
  expect(await firedOn(await pay('client-0', 1))).toEqual([1]);
});

it('a new feature without the event itself includes the log, and shares its state with the one that has it', async () => {
  const before = `${kept}\n  maxBefore: { max: order.amount, by: client.id, over: 60d, excluding: this }`;
  const warm = { sinceMs: undefined, history: [] };
  const { version } = await apply(filesWith(before, ['maxBefore == 39', 'maxBefore == 100']), warm);
  nowMs += 1_000;
  await switched(version);
  expect(await firedOn(await pay('client-2', 100))).toEqual([1]);
  const both = `${before}\n  max: { max: order.amount, by: client.id, over: 60d }`;
  const { folding } = await apply(filesWith(both, ['maxBefore == 100', 'max == 200']), warm);
  expect(folding).toBe(false);
  expect(await firedOn(await pay('client-2', 200))).toEqual([1, 2]);
  expect(await verified()).toMatchObject({ verdict: 'same' });
});

it('a host that is killed at the switch repeats the backfill with the same result', async () => {
  const features = `${kept}\n  clientMin: { min: order.amount, by: client.id, over: 90d }`;
  const { version } = await apply(filesWith(features, ['clientMin == 10']), { sinceMs: undefined, history: [] });
  nowMs += 1_000;
  await switched(version);
  // As if no checkpoint had been written since the start.
  await host.stop();
  await scene.pool.query(`delete from checkpoint`);
  await loseStates(scene.pool);
  host = scene.startHost();
  await host.ready;
  const { rows } = await scene.pool.query(`select 1 from irreproducible_range`);
  expect(rows).toEqual([]);
  expect(await firedOn(await pay('client-0', 11))).toEqual([]);
  expect(await firedOn(await pay('client-1', 11))).toEqual([]);
  expect(await verified()).toMatchObject({ verdict: 'same' });
});

async function importFile(name: string, path: string, mapping: ReturnType<typeof readMapping>): Promise<void> {
  await importHistory(
    { connection: home.connection, subjects: scene.subjects },
    {
      workspace: scene.workspace,
      networks: shippedNetworks,
      name,
      files: [{ path, mapping }],
      author: 'test',
      reportPath: `${path}.left-out.csv`,
      onProgress: () => {},
    },
  );
}

it('imported history precedes the log, labels included, and cannot be removed while the switch can be replayed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-starts-'));
  const path = join(folder, 'old.csv');
  const atMs = nowMs - 5 * dayMs;
  const lines = [
    ...Array.from({ length: 8 }, (_, i) => `${Math.floor((atMs + i * hourMs) / 1_000)},client-1,900,${i % 2}`),
    `${Math.floor((nowMs + dayMs) / 1_000)},client-1,9999,0`,
  ];
  writeFileSync(path, `at,client,amount,fraud\n${lines.join('\n')}\n`);
  const mapping = readMapping(
    'mapping.yaml',
    `time: { column: at, format: epoch-seconds }
kind: operation
label: { column: fraud, fraud: [1], legitimate: [0] }
operation: { channelId: { value: 1 }, account.client: client, order.amount: amount, order.currency: { value: MXN } }
`,
  );
  await importFile('old', path, mapping);
  rmSync(folder, { recursive: true });
  const features = `  clientTop: { max: order.amount, by: client.id, over: 90d, on: operation, where: order.amount > 50 }
  clientFraud: { fraudShare: true, after: 1d, by: client.id, over: 90d, on: operation }`;
  const files = filesWith(features, ['clientTop == 900', 'clientFraud == 0.5']);
  const { version } = await apply(files, { sinceMs: undefined, history: ['old'] });
  nowMs += 1_000;
  await switched(version);
  expect(await firedOn(await pay('client-1', 1))).toEqual([1, 2]);
  expect(await verified()).toMatchObject({ verdict: 'same' });
  await expect(removeSegment(scene.pool, scene.workspace.id, 'old')).rejects.toThrow(/began with the history/);
});

it('labels of imported events count once the events are decided, including events that wait and repeats', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-starts-'));
  const path = join(folder, 'logins.csv');
  const seconds = Math.floor(nowMs / 1_000) - 200_000;
  const lines = [
    `${seconds},login,ana,,,,0`,
    `${seconds + 1},operation,eva,9,waited,1,1`,
    `${seconds + 60},operation,eva,9,other,2,0`,
    `${seconds + 120},operation,eva,8,same,3,0`,
    `${seconds + 120},operation,eva,8,same,3,1`,
  ];
  writeFileSync(path, `at,kind,client,payee,reference,amount,fraud\n${lines.join('\n')}\n`);
  const mapping = readMapping(
    'mapping.yaml',
    `time: { column: at, format: epoch-seconds }
kind: { column: kind, login: [login], operation: [operation] }
label: { column: fraud, fraud: [1], legitimate: [0] }
login: { channelId: { value: 1 }, user: client, publicIp: { value: 203.0.113.7 }, data: { value: x } }
operation: { channelId: { value: 1 }, account.client: client, order.amount: amount, transaction.reference: reference, accountTo.accountNumber: payee }
`,
  );
  await importFile('logins', path, mapping);
  rmSync(folder, { recursive: true });
  const features =
    '  payeeFraud: { fraudShare: true, after: 1d, by: accountTo.accountNumber, over: 90d, on: operation }';
  const files = filesWith(features, ['payeeFraud == 0.5', 'payeeFraud == 0.0']);
  const { version } = await apply(files, { sinceMs: undefined, history: ['logins'] }, { sessionGraceSeconds: 5 });
  nowMs += 1_000;
  await switched(version);
  expect(await firedOn(await pay('ana', 1, '9'))).toEqual([1]);
  expect(await firedOn(await pay('ana', 1, '8'))).toEqual([2]);
});

it('a version that is applied during a backfill replaces it', async () => {
  await host.stop();
  const features = '  clientSum: { sum: order.amount, by: client.id, over: 90d }';
  const { version } = await apply(filesWith(features, ['clientSum > 1']), { sinceMs: undefined, history: [] });
  expect(await stateOf(version)).toBe('folding');
  await apply(filesWith(kept, ['clientCount >= 1']));
  expect(await stateOf(version)).toBe('cancelled');
});

/** A history without events, and a policy start that uses it. */
async function beginningWith(name: string): Promise<PlannedBackfill> {
  const { rows } = await scene.pool.query<{ id: number }>(
    `insert into history_segment (workspace_id, name, state, source, author) values ($1, $2, 'complete', '{}', 'test')
     returning id`,
    [scene.workspace.id, name],
  );
  const workspace = await readWorkspace(home.deps, scene.workspace.id);
  const planned = (await planBackfill(scene, workspace, { sinceMs: undefined, history: [] }))!;
  return { ...planned, history: { ...planned.history, segments: [rows[0]!.id] } };
}

it('a policy cannot begin with a history that was removed after planning', async () => {
  const start = await beginningWith('gone');
  await removeSegment(scene.pool, scene.workspace.id, 'gone');
  const files = filesWith('  clientMin: { min: order.amount, by: client.id, over: 90d, on: operation }', [
    'has(clientMin)',
  ]);
  const applied = applyPolicy({ ...home.deps, log: scene.log }, scene.workspace.id, {
    files,
    author: 'test',
    comment: '',
    actor: 'api',
    start,
  });
  await expect(applied).rejects.toThrow('A history that the feature backfill uses has just been removed.');
});

it('a history cannot be removed while a policy begins with it', async () => {
  const start = await beginningWith('taken');
  const version = await keptVersion();
  const client = await scene.pool.connect();
  await client.query('begin');
  await insertBackfill(client, scene.workspace.id, { version, ...start });
  const removed = removeSegment(scene.pool, scene.workspace.id, 'taken').catch((error: unknown) => error);
  await expect.poll(blocked).toBe(1);
  await client.query('commit');
  client.release();
  expect(String(await removed)).toMatch(/began with the history/);
});

it('a start that is requested again while the previous one is being switched to still runs', async () => {
  const { id } = scene.workspace;
  const { rows } = await scene.pool.query<{ version: number; history: HistoryStart }>(
    `update policy_start set state = 'ready' where workspace_id = $1 and state = 'folding' returning version, history`,
    [id],
  );
  const { version, history } = rows[0]!;
  const log: Pick<EventLog, 'appendWith'> = {
    appendWith: async () => {
      await inTransaction(scene.pool, (client) => insertBackfill(client, id, { version, history, total: 1 }));
      return { kind: 'appended', offset: 1, logTimeMs: nowMs as EpochMs } as never;
    },
  };
  await appendPolicy({ log, pool: scene.pool }, id, { version, history });
  expect(await stateOf(version)).toBe('folding');
});

it('a concurrent switch and activation do not deadlock', async () => {
  const { id } = scene.workspace;
  const { rows } = await scene.pool.query<{ version: number; history: HistoryStart }>(
    `select version, history from policy_start where workspace_id = $1 and state = 'folding'`,
    [id],
  );
  const { version, history } = rows[0]!;
  const activation = await scene.pool.connect();
  await activation.query('begin');
  await activation.query(`select 1 from workspace where id = $1 for update`, [id]);
  const unfenced = { pool: scene.pool, log: scene.log, fence: () => Promise.resolve() };
  const switching = switchPolicy(unfenced, id, { version, history });
  await expect.poll(blocked).toBe(1);
  await cancelBackfills(activation, id);
  await activation.query('commit');
  activation.release();
  await switching;
  expect(await stateOf(version)).toBe('cancelled');
});

async function keptVersion(): Promise<number> {
  const files = filesWith(kept, ['clientCount >= 2']);
  return keepPolicy(home.deps, scene.workspace.id, { files, author: 'test', comment: '', actor: 'api' });
}

async function blocked(): Promise<number> {
  const { rows } = await scene.pool.query<{ count: number }>(
    `select count(*)::integer as count from pg_stat_activity
      where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`,
  );
  return rows[0]!.count;
}

it('the base of the log stays before a pending switch, and may pass it afterwards', async () => {
  const { rows } = await scene.pool.query<{ first: number; last: number }>(
    `select min(switch_offset) as first, max(switch_offset) as last from policy_start where state = 'switched'`,
  );
  const { first, last } = rows[0]!;
  expect(await baseLimit(scene.pool, scene.workspace.id, first)).toBe(0);
  expect(await baseLimit(scene.pool, scene.workspace.id, last)).toBe(0);
  expect(await baseLimit(scene.pool, scene.workspace.id, last + 1)).toBe(last + 1);
});

it('an operation that waits for its login at the switch is counted once, when it is decided', async () => {
  host = scene.startHost();
  await host.ready;
  const stored = await readWorkspace(home.deps, scene.workspace.id);
  const settings = engineSettings({ settings: stored.settings, channels: [...stored.channels.values()] });
  const graceOf = (sessionGraceMs: number): Promise<unknown> =>
    scene.log.append(stored.id, { kind: 'settings', payload: settingsPayload({ ...settings, sessionGraceMs }) });
  await graceOf(60_000);
  // The history begins after that record: its settings let no operation wait.
  await pay({ client: 'waiter', session: 'of no login' }, 1);
  await scene.settled();
  const features = '  clientPayments: { count: true, by: client.id, over: 80d, on: operation }';
  const files = filesWith(features, ['clientPayments == 2', 'clientPayments != 2']);
  const { version } = await apply(files, { sinceMs: nowMs, history: [] });
  await switched(version);
  nowMs += 60_000;
  await graceOf(0);
  expect(await firedOn(await pay('waiter', 1))).toEqual([1]);
  expect(await verified()).toMatchObject({ verdict: 'same' });
});

it('the base stays before a pending switch, even to a version that was active before', async () => {
  const { rows } = await scene.pool.query<{ version: number; last: number }>(
    `select version, switch_offset as last from policy_start
      where state = 'switched' and version <> (select max(version) from policy_start where state = 'switched')
      order by switch_offset desc limit 1`,
  );
  const { version, last } = rows[0]!;
  const { id } = scene.workspace;
  await host.stop(); // no host runs the backfill: the switch stays pending
  const start = await planBackfill(scene, await readWorkspace(home.deps, id), { sinceMs: undefined, history: [] });
  const wanted = { version, actor: 'api', start } as const;
  expect(await activatePolicy({ ...home.deps, log: scene.log }, id, wanted)).toEqual({ folding: true });
  expect(await baseLimit(scene.pool, id, last + 1)).toBe(start!.history.fromOffset);
});
