import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Place } from './data-directory.ts';

/** Name of the database and of its only role. */
export const databaseName = 'ringfence';

const header = `# Written by Ringfence at every start. For your own settings use ALTER SYSTEM SET ... (kept in data/postgresql.auto.conf).\n`;

/**
 * Settings for a small machine of two cores that the database shares with the service. The settings that durability
 * depends on are stated explicitly, although they are the defaults.
 */
const settings: Readonly<Record<string, string>> = {
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',

  listen_addresses: "''",
  unix_socket_permissions: '0700',
  max_connections: '240', // of a process with eight deciding and eight ingest threads, and an administrator's psql
  max_locks_per_transaction: '256', // a query may open all ranges of a workspace's events, with fourteen indexes each
  password_encryption: 'scram-sha-256',

  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  huge_pages: 'off',
  io_method: 'sync', // the default keeps three worker processes, for reads that this load does not have
  max_worker_processes: '2',
  max_parallel_workers_per_gather: '0', // the second core is for the service; and containers have little shared memory
  max_logical_replication_workers: '0',
  jit: 'off', // compiling costs more than the short queries here
  random_page_cost: '1.1',

  wal_level: 'replica', // allows a physical copy (pg_basebackup) without a restart
  max_wal_senders: '2',
  hot_standby: 'off', // a point-in-time recovery is ready when it accepts writes, not before
  wal_buffers: '16MB',
  wal_compression: 'pglz', // only full-page images: fewer bytes to fsync right after a checkpoint
  min_wal_size: '256MB',
  max_wal_size: '1GB', // bounds recovery after a crash to a few seconds
  checkpoint_timeout: '10min',
  checkpoint_completion_target: '0.9',

  autovacuum_naptime: '15s', // outbox tables change quickly
  timezone: "'UTC'",
  log_timezone: "'UTC'",
  lc_messages: "'C'",

  // Warnings and errors, without DETAIL, which quotes values, and without parameters.
  log_min_messages: 'warning',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_line_prefix: "'%m [%p] '",
};

/**
 * On macOS an ordinary sync leaves written data in the disk's own cache, where a power failure loses them.
 * Source: https://www.postgresql.org/docs/18/wal-reliability.html
 */
const settingsOfMacOs: Readonly<Record<string, string>> = { wal_sync_method: 'fsync_writethrough' };

/**
 * `trust` on the socket is safe here: the server listens on nothing else, and only its own user and root can enter the
 * socket's folder (0700). Both can read the data files anyway, so a password would protect nothing from them.
 */
const hostAccess = `local all all trust\n`;

/** Writes postgresql.conf and pg_hba.conf into the cluster's folder, where the server's user cannot change them. */
export async function writeSettings(place: Place, platform: NodeJS.Platform = process.platform): Promise<string> {
  const own: Readonly<Record<string, string>> = {
    ...settings,
    ...(platform === 'darwin' ? settingsOfMacOs : {}),
    data_directory: quote(place.dataFolder),
    hba_file: quote(join(place.folder, 'pg_hba.conf')),
    // The setting is a list: the inner quotes keep a comma in the path from being read as a separator.
    unix_socket_directories: quote(`"${place.socketFolder}"`),
  };
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}\n`);
  const configFile = join(place.folder, 'postgresql.conf');
  await writeFile(configFile, header + lines.join(''), { mode: 0o644 });
  await writeFile(join(place.folder, 'pg_hba.conf'), header + hostAccess, { mode: 0o644 });
  return configFile;
}

function quote(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
