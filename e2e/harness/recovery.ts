/**
 * The work of a PostgreSQL administrator: archives the WAL, copies the data, and recovers the copy to a point in time.
 */
import { execFile } from 'node:child_process';
import { appendFile, chown, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';
import { connectTo, startPostgres, type StandalonePostgres } from './postgres.ts';

const run = promisify(execFile);

/** Starts a PostgreSQL below `home` that archives each full WAL segment in the folder `archive`. */
export async function startArchivingPostgres(home: string, archive: string): Promise<StandalonePostgres> {
  const first = await startPostgres(home);
  await mkdir(archive);
  await giveToServer(archive, home);
  const client = await connectTo(first.databaseUrl);
  await client.query(`ALTER SYSTEM SET archive_mode = 'on'`);
  await client.query(`ALTER SYSTEM SET archive_command = 'cp %p "${archive}/%f"'`);
  await client.end();
  await first.stop(); // the mode requires a restart
  return startPostgres(home);
}

/** Copies the data of a running server to the folder of `target`, which is not started yet. */
export async function copyBase(home: string, { databaseUrl }: StandalonePostgres, target: string): Promise<void> {
  const client = await connectTo(databaseUrl);
  await client.query(`SELECT pg_backup_start('drill', fast => true)`);
  await mkdir(join(target, 'postgres', 'database'), { recursive: true, mode: 0o711 });
  const data = dataOf(target);
  await run('cp', ['-a', dataOf(home), data]);
  const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
  await client.end();
  await writeFile(join(data, 'backup_label'), rows[0]!.labelfile);
  await giveToServer(join(data, 'backup_label'), home);
  await rm(join(data, 'postmaster.pid'));
  // The copied WAL is inconsistent: the needed segments come from the archive.
  for (const file of await readdir(join(data, 'pg_wal'), { withFileTypes: true })) {
    if (file.isFile()) await rm(join(data, 'pg_wal', file.name));
  }
}

/** An instant after all commits so far and before later ones, by the database's clock. */
export async function momentOf({ databaseUrl }: StandalonePostgres): Promise<string> {
  const client = await connectTo(databaseUrl);
  const { rows } = await client.query<{ moment: string }>('SELECT clock_timestamp()::text AS moment');
  await client.end();
  return rows[0]!.moment;
}

/** Archives the last WAL segment although it is not full. */
export async function archiveAll({ databaseUrl }: StandalonePostgres): Promise<void> {
  const client = await connectTo(databaseUrl);
  const { rows } = await client.query<{ file: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS file');
  await eventually('the WAL is archived', 10_000, async () => {
    const found = await client.query<{ last: string }>('SELECT last_archived_wal AS last FROM pg_stat_archiver');
    return found.rows[0]!.last >= rows[0]!.file ? true : undefined;
  });
  await client.end();
}

/** Starts the copy below `home`, recovered from the archive up to `moment`. */
export async function recoverTo(home: string, archive: string, moment: string): Promise<StandalonePostgres> {
  const data = dataOf(home);
  const settings = {
    restore_command: `cp "${archive}/%f" "%p"`,
    recovery_target_time: moment,
    recovery_target_action: 'promote',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  await appendFile(join(data, 'postgresql.auto.conf'), lines.join(''));
  await writeFile(join(data, 'recovery.signal'), '');
  await giveToServer(join(data, 'recovery.signal'), home);
  return startPostgres(home);
}

export function dataOf(home: string): string {
  return join(home, 'postgres', 'database', 'data');
}

/** As root, the server runs as another user. */
async function giveToServer(path: string, home: string): Promise<void> {
  const { uid, gid } = await stat(dataOf(home));
  await chown(path, uid, gid);
}
