import { spawn } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/platform/database/database-log.ts';
import { prepareBinaries } from '../../../src/platform/database/embedded/binaries.ts';
import { makeCluster } from '../../../src/platform/database/embedded/cluster.ts';
import { FolderOwnedError } from '../../../src/platform/database/embedded/owner.ts';
import { processLife } from '../../../src/platform/database/embedded/process-identity.ts';
import {
  type EmbeddedConnection,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../../src/platform/database/embedded-postgres.ts';
import { withoutRights } from '../../support/without-rights.ts';

const holder = new URL('./support/hold-postgres.ts', import.meta.url).pathname;
const log = silentLog;

describe('embedded PostgreSQL', () => {
  let home: string;

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'ringfence-embedded-'));
    await chmod(home, 0o711);
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  it('keeps committed data over a clean stop, and does not listen on the network', async () => {
    const first = await startEmbeddedPostgres({ home, log });
    await query(first.connectionConfig, 'CREATE TABLE kept AS SELECT 1 AS n');
    expect(await query(first.connectionConfig, "SELECT current_setting('listen_addresses') AS v")).toEqual([{ v: '' }]);
    expect(await query(first.connectionConfig, "SELECT current_setting('data_checksums') AS v")).toEqual([{ v: 'on' }]);
    await first.stop();
    expect(await processLife(first.pid)).toBeUndefined();

    const second = await startEmbeddedPostgres({ home, log });
    expect(await query(second.connectionConfig, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await second.stop();
  });

  it('reports what to do if its user has no name', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can run it as another user');
    await chmod(home, 0o777);
    const binaries = await prepareBinaries(home, false);
    const user = { uid: 4_321, gid: 4_321 };
    const place = { folder: home, dataFolder: join(home, 'data'), socketFolder: join(home, 'run'), user };
    await expect(makeCluster(place, binaries)).rejects.toMatchObject({
      message: expect.stringContaining('could not look up effective user ID 4321'),
      mend: expect.stringMatching(/^Give this uid a user .*DATABASE_URL/),
    });
  });

  it('refuses a second service on the same home and names the first; commands can attach', async () => {
    expect(await findEmbeddedPostgres(home)).toBeUndefined();
    const server = await startEmbeddedPostgres({ home, log });
    const refusal = await startEmbeddedPostgres({ home, log }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(FolderOwnedError);
    expect((refusal as FolderOwnedError).pid).toBe(process.pid);
    expect(await findEmbeddedPostgres(home)).toEqual(server.connectionConfig);
    await server.stop();
    expect(await findEmbeddedPostgres(home)).toBeUndefined();
  });

  it('lets exactly one of several simultaneous starts own the folder', async () => {
    const starts = await Promise.allSettled([1, 2, 3].map(() => startEmbeddedPostgres({ home, log })));
    const started = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    expect(started).toHaveLength(1);
    await started[0]?.stop();
  });

  it('restarts a killed server with all committed data', async () => {
    const server = await startEmbeddedPostgres({ home, log });
    await query(server.connectionConfig, 'CREATE TABLE kept AS SELECT 1 AS n');
    const killed = server.pid;
    process.kill(killed, 'SIGKILL');
    await expect.poll(() => server.pid).not.toBe(killed);
    await expect.poll(() => query(server.connectionConfig, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await server.stop();
  });

  it('restarts even if a backend of the killed server hangs', async () => {
    const server = await startEmbeddedPostgres({ home, log });
    await query(server.connectionConfig, 'CREATE TABLE kept AS SELECT 1 AS n');
    const hanging = await hangBackend(server.connectionConfig);
    process.kill(server.pid, 'SIGKILL');
    await expect
      .poll(() => query(server.connectionConfig, 'SELECT n FROM kept').catch(() => []), { timeout: 4_000 })
      .toEqual([{ n: 1 }]);
    expect(await processLife(hanging)).toBeUndefined();
    await server.stop();
  });

  it('reports why a restart fails, and retries until it succeeds', async ({ skip }) => {
    const error = vi.fn<(fields: object, text: string) => void>();
    const server = await startEmbeddedPostgres({ home, log: { ...log, error } });
    const programs = await programsBelow(home);
    if (programs === undefined) skip('the programs of this checkout are used as they are');
    await rename(programs!, `${programs!}-away`);
    process.kill(server.pid, 'SIGKILL');
    const said = (): string =>
      error.mock.calls.map(([fields]) => ('err' in fields ? String(fields.err) : '')).join('\n');
    await expect.poll(said).toMatch(/did not start\. Its log:\nspawn .*postgres ENOENT/);
    await rename(`${programs!}-away`, programs!);
    await expect.poll(() => query(server.connectionConfig, 'SELECT 1 AS n').catch(() => [])).toEqual([{ n: 1 }]);
    await server.stop();
  });

  it('reports a full disk in plain words, and leaves no partial copy of its programs', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('the programs of this checkout are used as they are');
    const limited = spawn('/bin/sh', ['-c', 'ulimit -f 1000; exec "$@"', 'sh', process.execPath, holder, home]);
    let said = '';
    limited.stderr.on('data', (told: Buffer) => (said += told.toString()));
    await new Promise((resolve) => limited.once('close', resolve));
    expect(said).toContain(`OperatorError: The embedded database of ${home} cannot be used: files of that size`);
    expect(await readdir(join(home, 'database'))).toEqual(['owner.1']);
  });

  it('reports in plain words that this user may not check whether it runs', async () => {
    await mkdir(join(home, 'database'), { mode: 0o111 });
    await expect(withoutRights(() => findEmbeddedPostgres(home))).rejects.toMatchObject({
      message: expect.stringContaining(`The embedded database of ${home} cannot be used: not allowed (EACCES`),
      mend: expect.stringContaining('as the user that the service runs as'),
    });
  });

  it('does not treat an unreadable claim as a missing one', async () => {
    await mkdir(join(home, 'database', 'owner.1'), { recursive: true });
    await expect(findEmbeddedPostgres(home)).rejects.toThrow('EISDIR');
  });

  it('reports whole log lines of the failed start, and none of earlier ones', async () => {
    const server = await startEmbeddedPostgres({ home, log });
    const wrongly = Array.from({ length: 20 }, () => query(server.connectionConfig, 'SELECT earlier').catch(() => {}));
    await Promise.all(wrongly);
    await server.stop();
    const written = await readFile(join(home, 'database', 'postgres.log'), 'utf8');
    expect(written.match(/column "earlier" does not exist/g)).toHaveLength(20);

    await chmod(server.dataFolder, 0o755);
    await expect(startEmbeddedPostgres({ home, log })).rejects.toThrow(
      /Its log:\n[^\n]* FATAL: {2}data directory "[^"]*" has invalid permissions$/u,
    );
    await chmod(server.dataFolder, 0o700);
  });

  it('stops when its service is killed', async () => {
    const { service, serverPid } = await holdInOtherProcess(home);
    service.kill('SIGKILL');
    await expect.poll(() => processLife(serverPid)).toBeUndefined();
  });

  it('is stopped by the next start if the watchdog was killed too', async () => {
    const { service, serverPid } = await holdInOtherProcess(home);
    process.kill(await watchdogOf(serverPid), 'SIGKILL');
    service.kill('SIGKILL');
    await expect.poll(() => processLife(service.pid!)).toBeUndefined();
    expect(await processLife(serverPid)).toBeDefined();

    const next = await startEmbeddedPostgres({ home, log });
    expect(await processLife(serverPid)).toBeUndefined();
    expect(await query(next.connectionConfig, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await next.stop();
  });

  it('starts again even if a backend hangs whose postmaster and service were killed', async () => {
    const { service, serverPid } = await holdInOtherProcess(home);
    const hanging = await hangBackend((await findEmbeddedPostgres(home))!);
    process.kill(serverPid, 'SIGKILL');
    service.kill('SIGKILL');
    await expect.poll(() => processLife(service.pid!)).toBeUndefined();

    const next = await startEmbeddedPostgres({ home, log });
    expect(await processLife(hanging)).toBeUndefined();
    expect(await query(next.connectionConfig, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await next.stop();
  });

  it('starts even if the pid of a killed server now belongs to another process', async () => {
    const first = await startEmbeddedPostgres({ home, log });
    const pidFile = join(first.dataFolder, 'postmaster.pid');
    const left = await readFile(pidFile, 'utf8');
    await first.stop();

    const { uid, gid } = await stat(first.dataFolder);
    const other = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {});
    await writeFile(pidFile, left.replace(/^\d+/u, String(other.pid)));
    await chown(pidFile, uid, gid);
    const second = await startEmbeddedPostgres({ home, log });
    expect(other.exitCode).toBeNull();
    other.kill();
    await second.stop();
  });

  it('starts after a power failure that emptied its pid and owner files', async () => {
    const first = await startEmbeddedPostgres({ home, log });
    await query(first.connectionConfig, 'CREATE TABLE kept AS SELECT 1 AS n');
    const folder = dirname(first.dataFolder);
    const owner = (await readdir(folder)).find((name) => name.startsWith('owner.'))!;
    await first.stop();

    const { uid, gid } = await stat(first.dataFolder);
    const locks = [join(first.dataFolder, 'postmaster.pid'), join(first.connectionConfig.host, '.s.PGSQL.5432.lock')];
    for (const file of [join(folder, owner), ...locks]) await writeFile(file, '');
    for (const file of locks) await chown(file, uid, gid);
    const second = await startEmbeddedPostgres({ home, log });
    expect(await query(second.connectionConfig, 'SELECT n FROM kept')).toEqual([{ n: 1 }]);
    await second.stop();
  });

  it('works for an unprivileged user too', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('this run has no rights anyway');
    const nobody = { uid: 65_534, gid: 65_534 };
    await chown(home, nobody.uid, nobody.gid);
    const { service, serverPid } = await holdInOtherProcess(home, nobody);
    if (Number.isNaN(serverPid)) skip('the checkout is closed to others');
    expect(await stat(join(home, 'database', 'data'))).toMatchObject(nobody);
    service.kill('SIGKILL');
    await expect.poll(() => processLife(serverPid)).toBeUndefined();
  });
});

async function query(connection: EmbeddedConnection, text: string): Promise<unknown[]> {
  const client = new Client(connection);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/**
 * The folder of the programs that were copied into a home, as root does when it starts the database as another user.
 */
async function programsBelow(home: string): Promise<string | undefined> {
  const folder = join(home, 'database');
  const copied = (await readdir(folder)).find((name) => name.startsWith('postgres-'));
  return copied === undefined ? undefined : join(folder, copied);
}

/** Suspends a backend, so that it does not notice the end of its postmaster either. */
async function hangBackend(connection: EmbeddedConnection): Promise<number> {
  const client = new Client(connection);
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
  const { pid } = rows[0]!;
  process.kill(pid, 'SIGSTOP');
  return pid;
}

/** Starts the database in a separate process, which creates a table `kept` and then only waits. */
async function holdInOtherProcess(home: string, user: { readonly uid?: number; readonly gid?: number } = {}) {
  const service = spawn(process.execPath, [holder, home], { ...user, stdio: ['ignore', 'pipe', 'inherit'] });
  const serverPid = await new Promise<number>((resolve) => {
    service.stdout.once('data', (told: Buffer) => resolve(Number(told.toString())));
    service.once('exit', () => resolve(Number.NaN));
    service.once('error', () => resolve(Number.NaN));
  });
  return { service, serverPid };
}

async function watchdogOf(serverPid: number): Promise<number> {
  for (const name of await readdir('/proc')) {
    const commandLine = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (commandLine.includes(`ringfence-watchdog\0${String(serverPid)}\0`)) return Number(name);
  }
  throw new Error('there is no watchdog');
}
