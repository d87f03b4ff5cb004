/** A database that has no connection left for one deciding process, but accepts those of another. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EngineHost, loadEngineThread } from '../../src/decide/engine-host.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene } from './support.ts';

let home: Installation;
let scene: Scene;
let hosts: EngineHost[];
let crashed: Error[];

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  hosts = [];
  crashed = [];
});
afterEach(async () => {
  for (const host of hosts) await host.stop();
  await scene.close();
  await home.close();
});

function start(user: string): EngineHost {
  const host = new EngineHost({
    thread: loadEngineThread(),
    ingest: [],
    database: { ...home.connection, user },
    master: home.master.source,
    process: user,
    residentBytesMax: 64 * 2 ** 20,
    weights: { production: 8, development: 1 },
    retains: true,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: { decided: () => {}, left: () => {}, removed: () => {}, engineDelay: () => {} },
    onActionsDue: () => {},
    onCrash: (error) => crashed.push(error),
  });
  hosts.push(host);
  return host;
}

/** A role with a connection limit, which acts like `max_connections` for one process. */
async function makeRole(): Promise<string> {
  const role = `few_${home.connection.database!}`;
  await scene.pool.query(`create role ${role} login in role ${home.connection.user!}`);
  return role;
}
const allow = (role: string, connections: number): Promise<unknown> =>
  scene.pool.query(`alter role ${role} connection limit ${connections}`);
const cut = (role: string): Promise<unknown> =>
  scene.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = $1`, [role]);

function why(host: EngineHost): unknown {
  try {
    host.condition.checkMoving();
    return undefined;
  } catch (error) {
    return (error as Error).cause;
  }
}

it('fails its readiness after a while, resumes when connections are accepted, and does not affect another process', async () => {
  const role = await makeRole();
  const sick = start(role);
  await expect.poll(() => sick.condition.isReady([scene.workspace.id])).toBe(true);
  await allow(role, 0);
  await cut(role);
  await expect.poll(() => why(sick), { timeout: 30_000 }).toMatchObject({ message: expect.any(String) });

  const healthy = start(home.connection.user!);
  await scene.send('operation', { channelId: 1, timestamp: new Date().toISOString(), account: { client: 'ana' } });
  await scene.settled();
  expect(why(healthy)).toBeUndefined();

  await allow(role, -1);
  await expect.poll(() => why(sick), { timeout: 30_000 }).toBeUndefined();
});

it('waits at its start for a connection, reports the reason after a while, and stops when asked to', async () => {
  const role = await makeRole();
  await allow(role, 0);
  const [early, ended] = [start(role), start(role)];
  for (const host of [early, ended]) {
    await expect.poll(() => why(host)).toMatchObject({ message: expect.any(String) });
  }
  await ended.stop();
  await allow(role, -1);
  await expect.poll(() => early.condition.isReady([scene.workspace.id])).toBe(true);
  expect(why(early)).toBeUndefined();
  expect(crashed).toEqual([]);
});

it('stays ready when a workspace is created later', async () => {
  const host = start(home.connection.user!);
  expect(host.condition.isReady([scene.workspace.id])).toBe(false);
  await expect.poll(() => host.condition.isReady([scene.workspace.id])).toBe(true);
  expect(host.condition.isReady([scene.workspace.id, 'made-later'])).toBe(true);
});
