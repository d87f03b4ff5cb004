import { type Client, DatabaseError } from 'pg';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { Keeper } from './partition-shares.ts';

/** How long a partition owner may be silent before another process ends its connection. */
const silentSecondsMax = 7;
/**
 * A statement of the previous owner may still run in the database. The other partitions share this connection, so it
 * must not wait long for one of them.
 */
const takeLockTimeout = '1s';
const lockNotAvailable = '55P03';
/** When to remove rows of processes that ended without removing their own. */
const forgottenAfter = '1 hour';

/** A partition that this process holds: the fence that every transaction of its host checks. */
export interface Ownership {
  readonly workspaceId: string;
  /** Grows with every change of owner. */
  readonly epoch: number;
}

/**
 * Takes a free partition: a session advisory lock on `connection`, which ends with the connection, and a growing epoch
 * in the database, the fencing token that stops a zombie that still believes in its lock.
 *
 * @returns `undefined` when another process holds it, or work of the previous owner has not ended yet
 */
export async function takePartition(
  connection: Client,
  workspace: Workspace,
  process: string,
): Promise<Ownership | undefined> {
  const lock = await connection.query<{ locked: boolean }>({
    name: 'take_lock',
    text: `select pg_try_advisory_lock(hashtextextended('ringfence.partition.' || $1, 0)) as locked`,
    values: [workspace.id],
  });
  if (lock.rows[0]?.locked !== true) return undefined;
  try {
    return { workspaceId: workspace.id, epoch: await newEpoch(connection, workspace.id, process) };
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable) throw error;
    await releasePartition(connection, workspace.id);
    return undefined;
  }
}

async function newEpoch(connection: Client, workspaceId: string, process: string): Promise<number> {
  await connection.query(`begin; set local lock_timeout = '${takeLockTimeout}'`);
  try {
    const owner = await connection.query<{ epoch: string }>({
      name: 'take_owner',
      text: `insert into partition_owner as o (workspace_id, epoch, process, backend_pid)
             values ($1, 1, $2, pg_backend_pid())
             on conflict (workspace_id) do update
               set epoch = o.epoch + 1, process = $2, backend_pid = pg_backend_pid(), since = now()
             returning epoch`,
      values: [workspaceId, process],
    });
    const epoch = Number(owner.rows[0]!.epoch);
    await connection.query({
      name: 'take_position',
      text: `insert into engine_position (workspace_id, owner_epoch, next_offset, decided, digest)
             values ($1, $2, 0, 0, decode(repeat('00', 32), 'hex'))
             on conflict (workspace_id) do update set owner_epoch = $2`,
      values: [workspaceId, epoch],
    });
    await connection.query('commit');
    return epoch;
  } catch (error) {
    await connection.query('rollback');
    throw error;
  }
}

export async function releasePartition(connection: Client, workspaceId: string): Promise<void> {
  await connection.query(`select pg_advisory_unlock(hashtextextended('ringfence.partition.' || $1, 0))`, [workspaceId]);
}

/** Registers this process among the partition owners; `connection` is the one on which it will hold its locks. */
export async function joinKeepers(connection: Client, process: string): Promise<void> {
  await connection.query(`delete from partition_keeper where heartbeat_at < now() - interval '${forgottenAfter}'`);
  await connection.query(
    `insert into partition_keeper (backend_pid, process) values (pg_backend_pid(), $1)
     on conflict (backend_pid) do update set process = $1, held = 0, since = now(), heartbeat_at = now()`,
    [process],
  );
}

export async function leaveKeepers(connection: Client): Promise<void> {
  await connection.query(`delete from partition_keeper where backend_pid = pg_backend_pid()`);
}

/** All partition owners and free partitions, as one process sees them. */
export interface Sight {
  readonly selfId: number;
  readonly keepers: readonly Keeper[];
  /** Partitions whose lock is not held. */
  readonly free: readonly string[];
  /** Partitions that move to another database: their owners let go, and none takes them. */
  readonly leaving: readonly string[];
}

/** Writes this process's heartbeat and the number of partitions it means to keep, and reads those of the others. */
export async function lookAround(connection: Client, workspaceIds: readonly string[], held: number): Promise<Sight> {
  const beaten = await connection.query<{ id: number }>({
    name: 'keeper_beat',
    text: `update partition_keeper set held = $1, heartbeat_at = now() where backend_pid = pg_backend_pid()
           returning backend_pid as id`,
    values: [held],
  });
  const self = beaten.rows[0];
  if (self === undefined) throw new Error('this process is no longer registered as a partition owner');
  await endSilentKeepers(connection);
  const keepers = await connection.query<{ id: number; held: number; age_ms: number }>({
    name: 'keeper_look',
    text: `select k.backend_pid as id, k.held, extract(epoch from now() - k.since)::float8 * 1000 as age_ms
             from partition_keeper k
            where k.heartbeat_at >= now() - make_interval(secs => $1)
              and exists (select 1 from pg_stat_activity a where a.pid = k.backend_pid)
            order by 1`,
    values: [silentSecondsMax],
  });
  const free = await connection.query<{ id: string; is_leaving: boolean }>({
    name: 'partitions_free',
    text: `with held as materialized (select ${lockKey} as key from pg_locks l where ${isAdvisoryLock})
           select w.id, v.workspace_id is not null as is_leaving
             from unnest($1::text[]) with ordinality as w (id, place)
             left join workspace_leaving v on v.workspace_id = w.id and v.released
            where v.workspace_id is not null or hashtextextended('ringfence.partition.' || w.id, 0) not in (select key from held)
            order by w.place`,
    values: [workspaceIds],
  });
  return {
    selfId: self.id,
    keepers: keepers.rows.map((row) => ({ id: row.id, held: row.held, ageMs: row.age_ms })),
    free: free.rows.flatMap(({ id, is_leaving: isLeaving }) => (isLeaving ? [] : [id])),
    leaving: free.rows.flatMap(({ id, is_leaving: isLeaving }) => (isLeaving ? [id] : [])),
  };
}

/** How PostgreSQL shows a session lock on a 64-bit number. */
const lockKey = `(l.classid::bigint << 32) | l.objid::bigint`;
const isAdvisoryLock = `l.locktype = 'advisory' and l.objsubid = 1 and l.granted
  and l.database = (select oid from pg_database where datname = current_database())`;

/**
 * Ends the connections of owners that have been silent too long: a suspended process keeps its locks as long as its
 * socket lives, and no other process could take its partitions.
 */
async function endSilentKeepers(connection: Client): Promise<void> {
  await connection.query({
    name: 'end_silent',
    text: `select pg_terminate_backend(k.backend_pid)
             from partition_keeper k
            where k.heartbeat_at < now() - make_interval(secs => $1) and k.backend_pid <> pg_backend_pid()
              and exists (select 1 from partition_owner o
                            join pg_locks l on ${isAdvisoryLock} and l.pid = o.backend_pid
                             and ${lockKey} = hashtextextended('ringfence.partition.' || o.workspace_id, 0)
                           where o.backend_pid = k.backend_pid)`,
    values: [silentSecondsMax],
  });
}
