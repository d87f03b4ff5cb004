/** What doctor says about a workspace that is behind: whether nothing decides, not this one, or too slowly. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Finding } from '../../../src/cli/doctor/finding.ts';
import { checkEngine } from '../../../src/cli/doctor/check-workspaces.ts';
import type { OpenInstallation } from '../../../src/cli/open-installation.ts';
import { makeScene, type Scene } from '../../decide/support.ts';
import { type Installation, makeInstallation } from '../../support/installation.ts';

let home: Installation;
let scene: Scene;
let installation: OpenInstallation;
beforeAll(async () => {
  home = await makeInstallation();
  scene = await makeScene(home);
  installation = { pool: scene.pool, log: scene.log } as unknown as OpenInstallation;
});
afterAll(async () => {
  await scene.close();
  await home.close();
});

/** As if the oldest undecided record were this old. */
const later = (): number => Date.now() + 60_000;

async function engineFinding(): Promise<Finding> {
  const [finding] = await checkEngine(installation, later());
  return finding!;
}

async function keepersBeat(age: string): Promise<void> {
  await scene.pool.query(
    `insert into partition_keeper (backend_pid, process, heartbeat_at) values (1, 'test', now() - $1::interval)
     on conflict (backend_pid) do update set heartbeat_at = excluded.heartbeat_at`,
    [age],
  );
}

/** As one whose process was stopped: its connection is open, and it is silent. */
async function silentKeeper(age: string): Promise<void> {
  await scene.pool.query('delete from partition_keeper');
  const { rows } = await scene.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() order by backend_start limit 1`,
  );
  await scene.pool.query(
    `insert into partition_keeper (backend_pid, process, since, heartbeat_at) values ($1, 'test', now(), now() - $2::interval)`,
    [rows[0]!.pid, age],
  );
}

async function moved(age: string): Promise<void> {
  await scene.pool.query(
    `insert into engine_position (workspace_id, owner_epoch, next_offset, decided, digest, moved_at)
     values ($1, 1, 0, 0, decode(repeat('00', 32), 'hex'), now() - $2::interval)
     on conflict (workspace_id) do update set moved_at = excluded.moved_at`,
    [scene.workspace.id, age],
  );
}

it.each([
  { keeper: '1 hour', position: '1 hour', mend: /^No process decides: start the service\.$/ },
  { keeper: '1 second', position: '1 hour', mend: /^A process decides, but not this workspace: check its log\.$/ },
  { keeper: '1 second', position: '1 second', mend: /^It is being decided, slower than its events arrive: / },
])('says what is wrong when the last sign of life is $keeper, of the workspace $position old', async (of) => {
  await scene.send('login', { channelId: 1, user: 'ana', session: 's', publicIp: '203.0.113.9', data: '' });
  await keepersBeat(of.keeper);
  await moved(of.position);
  const finding = await engineFinding();
  expect(finding.state).toBe('bad');
  expect(finding.mend).toMatch(of.mend);
});

it('says of a starved or stopped process that it is silent, and not that no process decides', async () => {
  await scene.send('login', { channelId: 1, user: 'eva', session: 't', publicIp: '203.0.113.9', data: '' });
  await silentKeeper('40 seconds');
  await moved('1 hour');
  expect((await engineFinding()).mend).toMatch(
    /^The process that decides gave no sign of life for 4\d s: it is stopped, or its machine has no processor time for it\. Continue it, or move other work away\.$/,
  );
});
