/**
 * A process that was suspended for a while, or whose connection broke, still believes that it owns a workspace which
 * another one has taken over. Goal: whatever it was about to write, it writes nothing. Method: the partition changes
 * its owner at exactly that moment, and the database and the log of then are compared with those at the end.
 */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { newState } from '@ringfence/engine';
import { checkpointFromBase } from '../../src/decide/base-rows.ts';
import { FencedError } from '../../src/decide/batch-writer.ts';
import type { HostDeps } from '../../src/decide/host-deps.ts';
import { OwnerConnection } from '../../src/decide/owner-connection.ts';
import { type Ownership, releasePartition, takePartition } from '../../src/decide/ownership.ts';
import { PostgresEntityStates } from '../../src/decide/entity-states/postgres-entity-states.ts';
import { ProcessorShares } from '../../src/decide/processor-shares.ts';
import { PartitionHost } from '../../src/decide/partition-host.ts';
import { earlierLivesEnded, holdOwnership } from '../../src/decide/partition-records.ts';
import { Semaphore } from '../../src/platform/semaphore.ts';
import { planBackfill } from '../../src/decide/feature-backfill/plan-backfill.ts';
import { BackfillRunner } from '../../src/decide/feature-backfill/backfill-runner.ts';
import { applyPolicy } from '../../src/policies/policy-store.ts';
import { PolicyVersionError } from '../../src/policies/stored-policy.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene } from './support.ts';
import { loseStates } from '../support/stored-states.ts';

let home: Installation;
let scene: Scene;
let before: OwnerConnection;
let after: OwnerConnection;
let ownership: Ownership;

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  [before, after] = [new OwnerConnection(home.connection), new OwnerConnection(home.connection)];
  await before.open();
  await after.open();
  ownership = (await before.alone((client) => takePartition(client, scene.workspace, 'before')))!;
});
afterEach(async () => {
  await before.end();
  await after.end();
  await scene.close();
  await home.close();
});

/** The content of database and log when another process took the partition over; `undefined` until then. */
let taken: unknown;
beforeEach(() => {
  taken = undefined;
});

/** Another process takes the partition over, as after its owner's connection was ended. */
async function takeOver(): Promise<void> {
  if (taken !== undefined) return;
  await before.alone((client) => releasePartition(client, scene.workspace.id));
  expect(await after.alone((client) => takePartition(client, scene.workspace, 'after'))).toMatchObject({ epoch: 2 });
  taken = await everything();
}

const tables = [
  'engine_position',
  'event',
  'console_seen',
  'action',
  'label',
  'checkpoint',
  'state_segment',
  'state_block',
  'rule_health',
  'quarantine',
  'irreproducible_range',
  'engine_pause',
  'policy_start',
  'log_partition',
];

async function everything(): Promise<unknown> {
  const rows = tables.map(async (table) => (await scene.pool.query(`select * from ${table} order by 1, 2`)).rows);
  const workspace = scene.pool.query(`select policy_version, logged_policy from workspace`);
  return [...(await Promise.all(rows)), (await workspace).rows];
}

function hostWith(change: Partial<HostDeps>): PartitionHost {
  const own = {
    beginnings: new Semaphore(1),
    shares: new ProcessorShares(),
    isOutdated: () => Promise.resolve(false),
    idleMs: () => 1_000,
  };
  return new PartitionHost(scene.workspace, ownership, { ...scene.hostDeps, ...own, ...change });
}

/** The log of a process that is suspended while it reads. */
const stoppedAtRead: HostDeps['log'] = {
  read: async (...given) => {
    const records = await scene.log.read(...given);
    if (records.length > 0) await takeOver();
    return records;
  },
  append: (...given) => scene.log.append(...given),
  appendWith: (...given) => scene.log.appendWith(...given),
};

/** Runs until the host ends. @returns why it ended, and the content of database and log then */
async function endOf(host: PartitionHost): Promise<readonly unknown[]> {
  return [await host.run(new AbortController().signal), await everything()];
}

/** The owner decides the log, and writes its checkpoint. */
async function decideAll(): Promise<void> {
  const stop = new AbortController();
  const running = hostWith({}).run(stop.signal);
  await scene.settled();
  stop.abort();
  expect(await running).toBe('stopped');
}

async function logIn(user: string): Promise<void> {
  await scene.send('login', { channelId: 1, user, session: `s-${user}`, publicIp: '8.8.8.8', data: 'blob' });
}

it('a zombie writes no batch', async () => {
  await logIn('ana');
  expect(await endOf(hostWith({ log: stoppedAtRead }))).toEqual(['fenced', taken]);
});

it('a zombie writes no checkpoint when it stops', async () => {
  await logIn('ana');
  const stop = new AbortController();
  const running = hostWith({}).run(stop.signal);
  await scene.settled();
  await takeOver();
  stop.abort();
  expect(await running).toBe('fenced');
  expect(await everything()).toEqual(taken);
});

it('a zombie does not copy the base to the checkpoint', async () => {
  await takeOver();
  const states = new PostgresEntityStates(scene.workspace, 'checkpoint', scene.subjects);
  const base = new PostgresEntityStates(scene.workspace, 'base', scene.subjects);
  await expect(checkpointFromBase(scene.pool, base, { ownership, states })).rejects.toThrow(FencedError);
});

it('a zombie begins no run', async () => {
  await takeOver();
  await expect(earlierLivesEnded(scene.pool, ownership)).rejects.toThrow(FencedError);
});

it('a zombie records no range with different decisions: its entities may be newer by now', async () => {
  await logIn('ana');
  await decideAll();
  await scene.pool.query(`delete from checkpoint`);
  await loseStates(scene.pool);
  await scene.pool.query(`update engine_position set digest = decode(repeat('ab', 32), 'hex')`);
  expect(await endOf(hostWith({ log: stoppedAtRead }))).toEqual(['fenced', taken]);
});

it('a zombie counts no failure of its engine towards the quarantine', async () => {
  await scene.log.append(scene.workspace.id, { kind: 'login', payload: Buffer.from('no record of an event') });
  expect(await endOf(hostWith({ log: stoppedAtRead }))).toEqual(['fenced', taken]);
});

it("a zombie does not clear the owner's pause", async () => {
  await logIn('ana');
  await decideAll();
  await scene.pool.query(`delete from checkpoint`);
  await loseStates(scene.pool);
  await scene.pool.query(`insert into engine_pause (workspace_id, version, error) values ($1, 7, 'refused')`, [
    scene.workspace.id,
  ]);
  expect(await endOf(hostWith({ log: stoppedAtRead }))).toEqual(['fenced', taken]);
});

it('a zombie records no pause for a policy that only its own release refuses', async () => {
  const refusing: HostDeps['policies'] = {
    policy: async (_, version) => {
      await takeOver();
      throw new PolicyVersionError(version, 'does not check');
    },
    exact: (...given) => scene.hostDeps.policies.exact(...given),
  };
  expect(await endOf(hostWith({ policies: refusing }))).toEqual(['fenced', taken]);
});

/** The policy starter of the previous owner, and a version whose new features begin with history. */
async function starting(change: Partial<HostDeps>): Promise<() => Promise<boolean>> {
  const { workspace, log, hostDeps } = scene;
  await logIn('ana');
  const start = await planBackfill(scene, workspace, { sinceMs: undefined, history: [] });
  const text = 'features:\n  count: { count: true, by: client.id, over: 1d }\nrules: []\n';
  const files = [{ path: 'rules.yaml', text }];
  const applied = { files, author: 'test', comment: '', actor: 'api' as const, start };
  await applyPolicy({ ...home.deps, log }, workspace.id, applied);
  const fence = (client: Parameters<typeof holdOwnership>[0]) => holdOwnership(client, ownership);
  const starter = new BackfillRunner({ ...hostDeps, ...change, fence }, workspace, new Set());
  const { end } = await log.head(workspace.id);
  return () => starter.turn(newState({ complete: true }), end);
}

async function startState(): Promise<unknown> {
  return (await scene.pool.query(`select state from policy_start`)).rows;
}

/** Runs the backfill until it is complete. */
async function foldAll(turn: () => Promise<boolean>): Promise<void> {
  while (await turn());
}

it('a zombie does not switch policies', async () => {
  const turn = await starting({});
  await takeOver();
  await expect(foldAll(turn)).rejects.toThrow(FencedError);
  expect(await startState()).toEqual([{ state: 'folding' }]);
  expect((await scene.log.head(scene.workspace.id)).end).toBe(logEnd(taken));
});

it('a zombie does not mark a policy as failed that only its own release refuses', async () => {
  const refused = { exact: () => Promise.reject(new PolicyVersionError(2, 'does not check')) };
  const turn = await starting({ policies: { ...scene.hostDeps.policies, ...refused } });
  await takeOver();
  await expect(foldAll(turn)).rejects.toThrow(FencedError);
  expect(await everything()).toEqual(taken);
});

it.each([
  ['switches policies', {}, 'switched'],
  ['marks it as failed', { exact: () => Promise.reject(new PolicyVersionError(2, 'does not check')) }, 'failed'],
])('control: the owner %s', async (_, refused, state) => {
  const policies = 'exact' in refused ? { ...scene.hostDeps.policies, ...refused } : scene.hostDeps.policies;
  await foldAll(await starting({ policies }));
  expect(await startState()).toEqual([{ state }]);
});

function logEnd(of: unknown): number {
  return (of as { end_offset: number }[][])[tables.indexOf('log_partition')]![0]!.end_offset;
}

it("the log ends with the owner's engine version, even when a zombie appends its own after it", async () => {
  const payload = (version: string): Buffer => Buffer.from(JSON.stringify({ version }));
  await decideAll();
  const stop = new AbortController();
  const running = hostWith({}).run(stop.signal);
  await scene.log.append(scene.workspace.id, { kind: 'engine', payload: payload('an older one') });
  await logIn('ana');
  await expect.poll(namedVersions).toEqual([expect.any(String), 'an older one', expect.any(String)]);
  await scene.settled();
  const [own, , again] = await namedVersions();
  expect(again).toBe(own);
  stop.abort();
  await running;
  expect((await scene.pool.query(`select engine_version as own from checkpoint`)).rows).toEqual([{ own }]);
});

async function namedVersions(): Promise<readonly string[]> {
  const records = await scene.log.read(scene.workspace.id, 0, 1_000);
  const named = records.filter(({ kind }) => kind === 'engine');
  return named.map(({ payload }) => (JSON.parse(Buffer.from(payload).toString()) as { version: string }).version);
}
