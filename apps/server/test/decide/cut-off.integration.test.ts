/** A process that keeps its lock connection while the database refuses all others: another process takes over. */
import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makePool } from '../../src/platform/database/database.ts';
import type { HostDeps } from '../../src/decide/host-deps.ts';
import { type Installation, makeInstallation } from '../support/installation.ts';
import { makeScene, type Scene, silentReport } from './support.ts';

let home: Installation;
let scene: Scene;
let role: string;
let few: Pool;

beforeEach(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  role = `few_${home.connection.database!}`;
  await scene.pool.query(`create role ${role} login in role ${home.connection.user!}`);
  few = makePool({ ...home.connection, user: role }, 4);
});
afterEach(async () => {
  await scene.close();
  await few.end();
  await home.close();
});

/**
 * Refuses its hosts' connections from now on, as if others had taken the last ones. It decides an event first, so that
 * it is not just opening a connection, which would be accepted without being visible yet.
 */
async function refuse(): Promise<void> {
  await send();
  await scene.settled();
  await scene.pool.query(`alter role ${role} connection limit 0`);
  await scene.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = $1`, [role]);
}
const letIn = (): Promise<unknown> => scene.pool.query(`alter role ${role} connection limit -1`);

async function owner(): Promise<string | undefined> {
  const found = await scene.pool.query<{ process: string }>(
    `select o.process from partition_owner o join pg_locks l on l.locktype = 'advisory' and l.granted and l.pid = o.backend_pid`,
  );
  return found.rows[0]?.process;
}

const send = (): Promise<string> =>
  scene.send('operation', { channelId: 1, timestamp: new Date().toISOString(), account: { client: 'ana' } });
const said = (text: string): number => scene.logged.filter(({ message }) => message.includes(text)).length;
const long = { timeout: 60_000, interval: 200 };

it('releases its workspaces to another process after a while, and takes its share again once connections are accepted', async () => {
  const missing = new Set<string>();
  const report: HostDeps['report'] = {
    ...silentReport,
    missed: (need) => missing.add(need),
    found: (need) => missing.delete(need),
  };
  scene.startHost({ pool: few, report });
  await expect.poll(owner).toBe('test 0');
  scene.startHost();
  await refuse();
  await send();
  await expect.poll(owner, long).toBe('test 1');
  await scene.settled();
  expect(said('releases its workspaces')).toBe(1);
  expect(missing).toContain('hosts');

  for (let i = 0; i < 3; i++) await scene.addWorkspace();
  scene.changed();
  await letIn();
  await expect.poll(() => said('takes its share of the workspaces again'), long).toBe(1);
  await expect.poll(() => missing.size, long).toBe(0);
  const held = `select 1 from partition_keeper where process = 'test 0' and held = 2`;
  await expect.poll(async () => (await scene.pool.query(held)).rowCount, long).toBe(1);
});

it('keeps its workspaces while no other process is visible', async () => {
  scene.startHost({ pool: few });
  await expect.poll(owner).toBe('test 0');
  await refuse();
  await send();
  await expect.poll(() => said('the engine host restarts'), long).toBeGreaterThan(40);
  expect(await owner()).toBe('test 0');
  expect(said('releases its workspaces')).toBe(0);
  await letIn();
  await scene.settled();
});
