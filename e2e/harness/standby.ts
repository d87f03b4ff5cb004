import { execFile } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from './eventually.ts';
import { connectTo, startPostgres, type StandalonePostgres } from './postgres.ts';

const run = promisify(execFile);
const inStepWithinMs = 30_000;

/** A commit on the primary is answered when both have it on disk. */
export interface PostgresPair {
  readonly primary: StandalonePostgres;
  /** Follows the primary over loopback, and only reads. */
  readonly standby: StandalonePostgres;
  stop(): Promise<void>;
}

/**
 * Starts a PostgreSQL below `home` and a synchronous standby of it, with the settings of the server's own embedded
 * database. The standby is a copy of the stopped primary: `pg_basebackup` is not among the embedded binaries.
 */
export async function startWithStandby(home: string): Promise<PostgresPair> {
  const [primaryHome, standbyHome] = [join(home, 'primary'), join(home, 'standby')];
  // The port is the same for all embedded databases.
  const address = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.1`;
  const first = await startPostgres(primaryHome);
  const access = join(folderOf(primaryHome), 'pg_hba.standby.conf');
  await writeFile(access, `local all all trust\nhost replication all 127.0.0.0/8 trust\n`, { mode: 0o644 });
  const client = await connectTo(first.databaseUrl);
  const { rows } = await client.query<{ user: string; port: string }>(
    `SELECT current_user AS user, current_setting('port') AS port`,
  );
  await client.query(`ALTER SYSTEM SET listen_addresses = '${address}'`);
  await client.query(`ALTER SYSTEM SET hba_file = '${access}'`);
  await client.query(`ALTER SYSTEM SET synchronous_standby_names = 'standby'`);
  await client.end();
  await first.stop();
  await mkdir(folderOf(standbyHome), { recursive: true, mode: 0o711 });
  await run('cp', ['-a', join(folderOf(primaryHome), 'data'), folderOf(standbyHome)]);
  await follow(standbyHome, `host=${address} port=${rows[0]!.port} user=${rows[0]!.user} application_name=standby`);
  const primary = await startPostgres(primaryHome);
  const standby = await startPostgres(standbyHome).catch(async (error: unknown) => {
    await primary.stop();
    throw error;
  });
  const pair = {
    primary,
    standby,
    stop: async () => {
      await primary.stop();
      await standby.stop();
    },
  };
  await inStep(primary).catch(async (error: unknown) => {
    await pair.stop();
    throw error;
  });
  return pair;
}

/** Makes a standby of a copy that is not started yet. */
async function follow(home: string, primary: string): Promise<void> {
  const data = join(folderOf(home), 'data');
  const settings = {
    primary_conninfo: primary,
    hot_standby: 'on',
    listen_addresses: '',
    synchronous_standby_names: '',
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  await appendFile(join(data, 'postgresql.auto.conf'), lines.join(''));
  await writeFile(join(data, 'standby.signal'), '', { mode: 0o644 });
}

async function inStep({ databaseUrl }: StandalonePostgres): Promise<void> {
  const client = await connectTo(databaseUrl);
  try {
    await eventually('the standby follows', inStepWithinMs, async () => {
      const { rows } = await client.query<{ state: string }>('SELECT sync_state AS state FROM pg_stat_replication');
      return rows[0]?.state === 'sync' ? true : undefined;
    });
  } finally {
    await client.end();
  }
}

function folderOf(home: string): string {
  return join(home, 'postgres', 'database');
}
