/** Processes on one database share its workspaces evenly, and no event is lost or decided twice. */
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makePool } from '../../src/platform/database/database.ts';
import { migrate, type Migration } from '../../src/platform/database/migrate.ts';
import { migrations } from '../../src/migrations.ts';
import { release } from '../../src/platform/release.ts';
import { joinKeepers, takePartition } from '../../src/decide/ownership.ts';
import { waitForOthersMs } from '../../src/decide/partition-shares.ts';
import { PolicyCache } from '../../src/policies/policy-cache.ts';
import { verifyLog } from '../../src/backtest/replay/verify-log.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene, silentReport } from './support.ts';

/** After this many looks, one a second, a process has taken every partition that others left free. */
const looksUntilTaken = Math.ceil(waitForOthersMs / 1_000) + 2;

/** The first statement of every batch of a partition. */
const touchPosition = `update engine_position set decided = decided where workspace_id = $1`;

let home: Installation;
let scene: Scene;
let workspaces: Workspace[];
const loads: { stop(): Promise<number> }[] = [];

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  workspaces = [scene.workspace];
});
afterEach(async () => {
  for (const load of loads.splice(0)) await load.stop();
  await scene.close();
  await home.close();
});

async function addWorkspaces(count: number): Promise<void> {
  for (let i = 0; i < count; i++) workspaces.push(await scene.addWorkspace());
}

/** Number of partitions held, by the name of the process: `{ 'test 0': 3 }`. */
async function shares(): Promise<Readonly<Record<string, number>>> {
  const found = await scene.pool.query<{ process: string; count: number }>(
    `select o.process, count(*)::integer as count from partition_owner o
       join pg_locks l on l.locktype = 'advisory' and l.granted and l.pid = o.backend_pid
        and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended('ringfence.partition.' || o.workspace_id, 0)
      group by 1 order by 1`,
  );
  return Object.fromEntries(found.rows.map(({ process, count }) => [process, count]));
}

/** The same without names, in ascending order. */
async function counts(): Promise<readonly number[]> {
  return Object.values(await shares()).toSorted((a, b) => a - b);
}

/** Resolves when every process has sent a heartbeat this long from now. */
async function looks(forSeconds: number): Promise<void> {
  const { rows } = await scene.pool.query<{ now: Date }>('select now()');
  const have = async (): Promise<boolean> => {
    const late = await scene.pool.query(
      `select 1 from partition_keeper where heartbeat_at < $1::timestamptz + make_interval(secs => $2)`,
      [rows[0]!.now, forSeconds],
    );
    return late.rowCount === 0;
  };
  await expect.poll(have).toBe(true);
}

async function moves(): Promise<number> {
  const found = await scene.pool.query<{ epochs: number }>(`select sum(epoch)::integer as epochs from partition_owner`);
  return found.rows[0]!.epochs;
}

/** How often one of the test's processes took the partition to decide it. */
function timesTaken({ id }: Workspace): number {
  return scene.logged.filter(
    ({ message, fields }) =>
      message === 'this process now owns the workspace' && 'workspace' in fields && fields.workspace === id,
  ).length;
}

/** Takes the partition as a process that then hangs. `ended` resolves when its connection has been ended. */
async function holdBySomebodyWhoHangs(workspace: Workspace): Promise<{ readonly ended: Promise<unknown> }> {
  const hanging = new Client(home.connection);
  const ended = new Promise((resolve) => {
    hanging.on('error', resolve);
  });
  await hanging.connect();
  await joinKeepers(hanging, 'hanging');
  expect(await takePartition(hanging, workspace, 'hanging')).toMatchObject({ epoch: 1 });
  return { ended };
}

/** Sends operations to all workspaces until stopped; returns how many. */
function traffic(): { stop(): Promise<number> } {
  let isOver = false;
  const sending = (async () => {
    for (let sent = 0; ; sent++) {
      if (isOver) return sent;
      const account = { client: `client ${sent % 7}`, session: 's' };
      const body = {
        channelId: 1,
        timestamp: new Date().toISOString(),
        account,
        transaction: { reference: `r${sent}` },
      };
      await scene.send('operation', body, workspaces[sent % workspaces.length]);
    }
  })();
  const load = {
    stop: () => {
      isOver = true;
      return sending;
    },
  };
  loads.push(load);
  return load;
}

/** Checks that every event has one decision, and that a replay of the log yields the same decisions. */
async function expectAllDecidedOnce(sent: number): Promise<void> {
  await scene.settled();
  const events = await scene.pool.query<{ status: string; count: number }>(
    `select status, count(*)::integer as count from event group by 1`,
  );
  expect(events.rows).toEqual([{ status: 'decided', count: sent }]);
  const { pool, log, subjects } = scene;
  for (const workspace of workspaces) {
    const found = await verifyLog({ pool, log, subjects, policies: new PolicyCache(pool) }, workspace, () => {});
    expect(found).toMatchObject({ verdict: 'same', gaps: [] });
  }
}

describe('several workspaces', () => {
  it('are shared with a second and a third process, and return when these stop', async () => {
    await addWorkspaces(4);
    scene.startHost();
    await expect.poll(shares).toEqual({ 'test 0': 5 });
    const load = traffic();
    const second = scene.startHost();
    await expect.poll(shares).toEqual({ 'test 0': 3, 'test 1': 2 });
    const third = scene.startHost();
    await expect.poll(counts).toEqual([1, 2, 2]);
    const before = await moves();
    await second.stop();
    await third.stop();
    await expect.poll(shares).toEqual({ 'test 0': 5 });
    expect((await moves()) - before).toBeLessThanOrEqual(5);
    await expectAllDecidedOnce(await load.stop());
  });

  it('move within 10 s when the connection of their process breaks, and are shared again when it returns', async () => {
    await addWorkspaces(3);
    scene.startHost();
    scene.startHost();
    await expect.poll(shares).toEqual({ 'test 0': 2, 'test 1': 2 });
    const load = traffic();
    // Repeatedly: on a slow machine it could be back before the other one has looked.
    const breakIt = `select pg_terminate_backend(backend_pid) from partition_keeper where process = 'test 0'`;
    const whenBroken = async (): Promise<unknown> => {
      await scene.pool.query(breakIt);
      return await shares();
    };
    await expect.poll(whenBroken).toEqual({ 'test 1': 4 });
    const before = await moves();
    await expect.poll(shares).toEqual({ 'test 0': 2, 'test 1': 2 });
    expect((await moves()) - before).toBeLessThanOrEqual(2);
    await expectAllDecidedOnce(await load.stop());
  });

  it.each([
    ['transaction', `begin; ${touchPosition}`],
    ['statement that still runs', `${touchPosition}; select pg_sleep(12)`],
  ])('are taken from a process that hangs within a %s, while the others are still decided', async (_, held) => {
    await addWorkspaces(1);
    const hanging = await holdBySomebodyWhoHangs(workspaces[0]!);
    scene.startHost();
    await expect.poll(shares).toEqual({ 'test 0': 1, hanging: 1 });
    const pool = makePool(home.connection, 1);
    const batch = await pool.connect();
    try {
      const holding = batch.query(held.replace('$1', batch.escapeLiteral(workspaces[0]!.id)));
      await scene.pool.query(
        `update partition_keeper set heartbeat_at = now() - interval '6 seconds' where process = 'hanging'`,
      );
      await expect.poll(() => timesTaken(workspaces[0]!)).toBe(1);
      // One connection holds all partitions.
      expect(scene.logged).not.toContainEqual(expect.objectContaining({ level: 'error' }));
      await Promise.all([holding, hanging.ended]);
    } finally {
      batch.release(true);
      await pool.end();
    }
  });

  it('are released to a newer release that shuts the older one out', async () => {
    await addWorkspaces(3);
    let older = 0; // times that the older release found itself shut out, once for each workspace
    const ready = (_: string, where: string): void => void (older += where === 'elsewhere' ? 1 : 0);
    scene.startHost({ report: { ...silentReport, ready } });
    const load = traffic();
    await expect.poll(shares).toEqual({ 'test 0': 4 });
    const newer: Migration = { name: '9999-newer', sql: 'select 1', shutsOutOlder: true };
    await migrate(home.connection, [...migrations, newer]);
    const after = scene.startHost({}, [...migrations, newer]);
    await expect.poll(shares).toEqual({ 'test 1': 4 });
    expect(scene.logged).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { migration: '9999-newer', by: release, release } }),
    );
    await after.stop();
    const stopped = older;
    await expect.poll(() => older - stopped).toBeGreaterThanOrEqual(looksUntilTaken * workspaces.length);
    expect(await shares()).toEqual({});
    scene.startHost({}, [...migrations, newer]);
    await expect.poll(shares).toEqual({ 'test 2': 4 });
    await expectAllDecidedOnce(await load.stop());
  });

  it('do not move once they are shared evenly', async () => {
    await addWorkspaces(4);
    scene.startHost();
    scene.startHost();
    await expect.poll(counts).toEqual([2, 3]);
    const before = await moves();
    await looks(4);
    expect(await moves()).toBe(before);
  });
});

describe('a single workspace', () => {
  it('is taken from a process that hangs', async () => {
    const { ended } = await holdBySomebodyWhoHangs(scene.workspace);
    await scene.pool.query(`update partition_keeper set heartbeat_at = now() - interval '6 seconds'`);
    scene.startHost();
    await expect.poll(shares).toEqual({ 'test 0': 1 });
    await ended;
  });

  it('stays with its process when another starts', async () => {
    scene.startHost();
    await expect.poll(shares).toEqual({ 'test 0': 1 });
    scene.startHost();
    await expect.poll(async () => (await scene.pool.query('select 1 from partition_keeper')).rowCount).toBe(2);
    await looks(8);
    expect(await shares()).toEqual({ 'test 0': 1 });
    expect(await moves()).toBe(1);
  });
});
