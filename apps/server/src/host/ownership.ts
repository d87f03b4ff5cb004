import type { Client } from 'pg';
import type { Workspace } from '../workspaces/workspace.ts';

/** How often an owner says that it lives, and how long it may be silent before another process ends its connection. */
export const heartbeatMs = 2_000;
const silentSecondsMax = 7;

/** A partition that this process holds: the fence that every transaction of its host checks. */
export interface Ownership {
  readonly workspaceId: string;
  /** Grows with every change of owner. */
  readonly epoch: number;
}

/**
 * Takes a partition when nobody holds it: a session advisory lock on `connection`, which ends with the connection,
 * and a growing epoch in the database, which a zombie that still believes in its lock cannot pass.
 *
 * @returns `undefined` when another process holds it
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
  if (lock.rows[0]?.locked !== true) {
    await endSilentOwner(connection, workspace.id);
    return undefined;
  }
  const owner = await connection.query<{ epoch: string }>({
    name: 'take_owner',
    text: `insert into partition_owner as o (workspace_id, epoch, process, backend_pid)
           values ($1, 1, $2, pg_backend_pid())
           on conflict (workspace_id) do update
             set epoch = o.epoch + 1, process = $2, backend_pid = pg_backend_pid(), since = now(), heartbeat_at = now()
           returning epoch`,
    values: [workspace.id, process],
  });
  const epoch = Number(owner.rows[0]!.epoch);
  await connection.query({
    name: 'take_position',
    text: `insert into engine_position (workspace_id, owner_epoch, next_offset, decided, digest)
           values ($1, $2, 0, 0, decode(repeat('00', 32), 'hex'))
           on conflict (workspace_id) do update set owner_epoch = $2`,
    values: [workspace.id, epoch],
  });
  return { workspaceId: workspace.id, epoch };
}

export async function releasePartition(connection: Client, workspaceId: string): Promise<void> {
  await connection.query(`select pg_advisory_unlock(hashtextextended('ringfence.partition.' || $1, 0))`, [workspaceId]);
}

export async function beat(connection: Client, workspaceIds: readonly string[]): Promise<void> {
  await connection.query({
    name: 'beat',
    text: `update partition_owner set heartbeat_at = now() where workspace_id = any($1) and backend_pid = pg_backend_pid()`,
    values: [workspaceIds],
  });
}

/**
 * Ends the connection of an owner that has been silent too long: a stopped process keeps its lock as long as its
 * socket lives, and nobody would decide in its place.
 */
async function endSilentOwner(connection: Client, workspaceId: string): Promise<void> {
  await connection.query({
    name: 'end_silent',
    text: `select pg_terminate_backend(o.backend_pid)
             from partition_owner o
             join pg_locks l on l.pid = o.backend_pid and l.locktype = 'advisory' and l.granted
            where o.workspace_id = $1 and o.backend_pid <> pg_backend_pid()
              and o.heartbeat_at < now() - make_interval(secs => $2)`,
    values: [workspaceId, silentSecondsMax],
  });
}
