import type { EpochMs } from '@ringfence/contract';
import type { PostgresLog } from '@ringfence/log';
import type { Pool } from 'pg';
import { makePool } from '../platform/database/database.ts';
import { type DatabaseConnection, openEventLog } from '../platform/database/event-log.ts';
import { PostgresSubjectKeys } from '../tenancy/subjects/postgres-subject-keys.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';

/** What the main thread passes to a thread that works on one workspace. */
export interface ThreadWorkspace {
  readonly database: DatabaseConnection;
  /** Copied between threads, so its secrets arrive as plain arrays. */
  readonly workspace: Workspace;
}

/** What such a thread works with. */
export interface ThreadGround {
  readonly workspace: Workspace;
  readonly pool: Pool;
  readonly log: PostgresLog;
  readonly subjects: PostgresSubjectKeys;
}

/** Runs work with the thread's own connections, up to a maximum, and closes them. */
export async function workInThread(
  { database, workspace: copied }: ThreadWorkspace,
  connectionsMax: number,
  work: (ground: ThreadGround) => Promise<void>,
): Promise<void> {
  const { data, index } = copied.secrets;
  const workspace = { ...copied, secrets: { ...copied.secrets, data: Buffer.from(data), index: Buffer.from(index) } };
  const pool = makePool(database, connectionsMax);
  const log = openEventLog({ connection: database, pool, clock: () => Date.now() as EpochMs });
  const subjects = new PostgresSubjectKeys({ pool, log, onError: () => {} });
  try {
    await work({ workspace, pool, log, subjects });
  } finally {
    await subjects.close();
    await log.close();
    await pool.end();
  }
}
