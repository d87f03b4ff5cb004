/** A process with many partitions: they start one after the other, and sleep while nothing arrives. */
import { Client } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PartitionDeps } from '../../src/decide/host-deps.ts';
import { type Ownership, takePartition } from '../../src/decide/ownership.ts';
import { PartitionKeeper } from '../../src/decide/partition-keeper.ts';
import { ProcessorShares } from '../../src/decide/processor-shares.ts';
import { PartitionHost } from '../../src/decide/partition-host.ts';
import { Semaphore } from '../../src/platform/semaphore.ts';
import { migrations } from '../../src/migrations.ts';
import { createWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene } from './support.ts';

let home: Installation;
let scene: Scene;
let owner: Client;

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  owner = new Client(home.connection);
  await owner.connect();
});
afterEach(async () => {
  await owner.end();
  await scene.close();
  await home.close();
});

/** Decides the scene's workspace, and counts the reads of its log. */
async function start(
  beginnings: Semaphore,
): Promise<{ looks(): number; wake(end: number): void; stop(): Promise<void> }> {
  const ownership = (await takePartition(owner, scene.workspace, 'test')) as Ownership;
  let looks = 0;
  const deps: PartitionDeps = {
    ...scene.hostDeps,
    log: {
      append: (...given) => scene.log.append(...given),
      appendWith: (...given) => scene.log.appendWith(...given),
      read: (...given) => {
        looks += 1;
        return scene.log.read(...given);
      },
    },
    beginnings,
    shares: new ProcessorShares(),
    idleMs: () => 60_000,
    isOutdated: () => Promise.resolve(false),
  };
  const host = new PartitionHost(scene.workspace, ownership, deps);
  const stop = new AbortController();
  const ran = host.run(stop.signal);
  return {
    looks: () => looks,
    wake: (end) => host.wake(end),
    stop: async () => {
      stop.abort();
      await ran;
    },
  };
}

const decided = async (): Promise<number> =>
  (await scene.pool.query(`select 1 from event where workspace_id = $1 and status = 'decided'`, [scene.workspace.id]))
    .rowCount!;
const send = (): Promise<string> =>
  scene.send('operation', { channelId: 1, timestamp: new Date().toISOString(), account: { client: 'ana' } });
const passes = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('starts when a start slot is free, and releases the slot once it decides', async () => {
  const turns = new Semaphore(1);
  const giveBack = await turns.take();
  const host = await start(turns);
  await send();
  await passes(500);
  expect(host.looks()).toBe(0);
  giveBack();
  await expect.poll(decided).toBe(1);
  (await turns.take())();
  await host.stop();
});

it('sleeps while no event arrives, and wakes up for the next one', async () => {
  await send();
  const host = await start(new Semaphore(1));
  await expect.poll(decided).toBe(1);
  await passes(500);
  const before = host.looks();
  await passes(3_000);
  expect(host.looks() - before).toBeLessThan(2);
  await send();
  host.wake(Infinity);
  await expect.poll(decided).toBe(2);
  await host.stop();
});

it('sends heartbeats while it takes partitions, however long that takes', async () => {
  const workspaces: Workspace[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const owners = { settings: 'api', keys: 'api', policy: 'api' } as const;
    workspaces.push((await createWorkspace(home.deps, { name, environment: 'production', owners })).workspace);
  }
  const looks: number[] = [];
  const taken: object[] = [];
  const info = (fields: object, message: string): void => {
    if (message !== 'this process now owns the workspace') return;
    taken.push(fields);
    for (const endMs = performance.now() + 800; performance.now() < endMs;); // A machine without spare CPU time.
  };
  const keeper = new PartitionKeeper(
    { database: home.connection, process: 'test', workspaces: () => workspaces, migrations },
    {
      ...scene.hostDeps,
      logger: { ...scene.hostDeps.logger, info },
      report: { ...scene.hostDeps.report, found: (need) => need === 'partitions' && looks.push(taken.length) },
    },
  );
  const stop = new AbortController();
  const running = keeper.run(stop.signal);
  await expect.poll(() => taken.length, { timeout: 60_000 }).toBe(6);
  stop.abort();
  await running;
  const steps = [...looks, 6].map((count, at, all) => count - (all[at - 1] ?? 0));
  expect(Math.max(...steps)).toBeLessThanOrEqual(2);
});

it('logs why the lock connection was lost, even when it was idle', async () => {
  await scene.startHost().ready;
  await passes(500); // It takes partitions at its first look, and sleeps until the next.
  await scene.pool.query(`select pg_terminate_backend(backend_pid) from partition_keeper`);
  const said = (): unknown[] =>
    scene.logged.filter(({ message }) => message === 'the connection that holds the partition locks was lost');
  await expect.poll(said).toMatchObject([{ fields: { err: { code: '57P01' } } }]);
});
