/** A database that has no connection left for a process that decides, and one for another. */
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
    database: { ...home.connection, user },
    master: home.master.source,
    process: user,
    residentBytesMax: 64 * 2 ** 20,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    metrics: { decided: () => {}, left: () => {}, removed: () => {}, engineDelay: () => {} },
    onDecided: () => {},
    onActionsDue: () => {},
    onCrash: (error) => crashed.push(error),
  });
  hosts.push(host);
  return host;
}

/** A role whose connections can be bounded, as `max_connections` bounds those of all. */
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
    host.checkMoving();
    return undefined;
  } catch (error) {
    return (error as Error).cause;
  }
}

it('says so after a while, decides on when it is let in, and leaves the process beside it well', async () => {
  const role = await makeRole();
  const sick = start(role);
  await expect.poll(() => sick.isReady([scene.workspace.id])).toBe(true);
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

it('waits where it finds no connection at its start, says why after a while, and ends when it is told to', async () => {
  const role = await makeRole();
  await allow(role, 0);
  const [early, ended] = [start(role), start(role)];
  for (const host of [early, ended]) {
    await expect.poll(() => why(host)).toMatchObject({ message: expect.any(String) });
  }
  await ended.stop();
  await allow(role, -1);
  await expect.poll(() => early.isReady([scene.workspace.id])).toBe(true);
  expect(why(early)).toBeUndefined();
  expect(crashed).toEqual([]);
});

it('is ready once, and stays so beside a workspace that is made later', async () => {
  const host = start(home.connection.user!);
  expect(host.isReady([scene.workspace.id])).toBe(false);
  await expect.poll(() => host.isReady([scene.workspace.id])).toBe(true);
  expect(host.isReady([scene.workspace.id, 'made-later'])).toBe(true);
});
