import { Problem } from '@ringfence/contract';
import type { HistoryStart } from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';

/** A planned feature backfill. */
export interface PlannedBackfill {
  readonly history: HistoryStart;
  /** Number of events and records to process. */
  readonly total: number;
}

/** A policy version with a feature backfill, and its progress. */
export interface FeatureBackfill {
  readonly version: number;
  readonly history: HistoryStart;
  readonly state: 'folding' | 'ready' | 'switched' | 'cancelled' | 'failed';
  readonly done: number;
  readonly total: number;
  readonly error: string | undefined;
  readonly askedAtMs: number;
}

interface Row {
  readonly version: number;
  readonly history: HistoryStart;
  readonly state: FeatureBackfill['state'];
  readonly done: number;
  readonly total: number;
  readonly error: string | null;
  readonly asked_at: Date;
}

const columns = `version, history, state, done, total, error, asked_at`;

/**
 * Stores a planned backfill. A version that was active before is backfilled again.
 *
 * @throws Problem `state.conflict` if a history that it uses was removed after the planning
 */
export async function insertBackfill(
  client: ClientBase,
  workspaceId: string,
  start: PlannedBackfill & { readonly version: number },
): Promise<void> {
  const { segments } = start.history;
  // Locked until the commit: removing a history checks for backfills that use it.
  const present = await client.query(
    `select 1 from history_segment where workspace_id = $1 and id = any($2) and state = 'complete' for share`,
    [workspaceId, segments],
  );
  if (present.rowCount !== segments.length) {
    throw new Problem('state.conflict', 'A history that the feature backfill uses has just been removed.');
  }
  await client.query(
    `insert into policy_start (workspace_id, version, history, total) values ($1, $2, $3, $4)
     on conflict (workspace_id, version) do update
       set history = $3, total = $4, state = 'folding', done = 0, error = null, switch_offset = null, asked_at = now(),
           ended_at = null`,
    [workspaceId, start.version, JSON.stringify(start.history), start.total],
  );
}

/** Cancels running backfills, because another version was requested. */
export async function cancelBackfills(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query(
    `update policy_start set state = 'cancelled', ended_at = now() where workspace_id = $1 and state = 'folding'`,
    [workspaceId],
  );
}

/** The backfill in progress; `undefined` if there is none. */
export async function readFolding(pool: Pool, workspaceId: string): Promise<FeatureBackfill | undefined> {
  const found = await pool.query<Row>(
    `select ${columns} from policy_start where workspace_id = $1 and state = 'folding' order by version desc limit 1`,
    [workspaceId],
  );
  return found.rows.map(printRow)[0];
}

/** The history of a finished backfill whose `policy` record is not in the log yet. */
export async function readReady(pool: Pool, workspaceId: string, version: number): Promise<HistoryStart | undefined> {
  const found = await pool.query<Row>(
    `select ${columns} from policy_start where workspace_id = $1 and version = $2 and state = 'ready'`,
    [workspaceId, version],
  );
  return found.rows[0]?.history;
}

/** The newest backfills first, at most twenty. */
export async function listBackfills(pool: Pool, workspaceId: string): Promise<readonly FeatureBackfill[]> {
  const found = await pool.query<Row>(
    `select ${columns} from policy_start where workspace_id = $1 order by asked_at desc limit 20`,
    [workspaceId],
  );
  return found.rows.map(printRow);
}

/**
 * Stores the progress. Not fenced: a process that lost the partition can at worst store an outdated progress.
 *
 * @returns false if the backfill was cancelled meanwhile
 */
export async function noteFolded(
  pool: Pool,
  of: { readonly workspaceId: string; readonly version: number },
  { done, total }: { readonly done: number; readonly total: number },
): Promise<boolean> {
  const noted = await pool.query(
    `update policy_start set done = $3, total = $4 where workspace_id = $1 and version = $2 and state = 'folding'`,
    [of.workspaceId, of.version, done, total],
  );
  return noted.rowCount === 1;
}

/** Marks a backfill as failed. Call it fenced: another process may be running the same backfill successfully. */
export async function noteFailed(
  client: ClientBase,
  of: { readonly workspaceId: string; readonly version: number },
  error: string,
): Promise<void> {
  await client.query(
    `update policy_start set state = 'failed', error = $3, ended_at = now()
      where workspace_id = $1 and version = $2 and state = 'folding'`,
    [of.workspaceId, of.version, error],
  );
}

/**
 * The highest offset that the log's base may move to, at most `offset`: the log records that a backfill uses are kept
 * until the base is behind the switch to its version.
 */
export async function baseLimit(pool: Pool, workspaceId: string, offset: number): Promise<number> {
  const found = await pool.query<{ first: number | null }>(
    `select min((history->>'fromOffset')::bigint) as first from policy_start
      where workspace_id = $1 and state in ('folding', 'ready', 'switched')
        and (switch_offset is null or switch_offset >= $2) and (history->>'fromOffset')::bigint < $2`,
    [workspaceId, offset],
  );
  return found.rows[0]?.first ?? offset;
}

/** Whether a backfill that can still be replayed uses this history segment. */
export async function namesSegment(
  database: Pool | ClientBase,
  workspaceId: string,
  segmentId: number,
): Promise<boolean> {
  const found = await database.query(
    `select 1 from policy_start s left join log_partition p on p.partition = s.workspace_id
      where s.workspace_id = $1 and s.state in ('folding', 'ready', 'switched') and s.history->'segments' @> $2::jsonb
        and (s.switch_offset is null or s.switch_offset >= coalesce(p.start_offset, 0)) limit 1`,
    [workspaceId, JSON.stringify([segmentId])],
  );
  return found.rowCount === 1;
}

function printRow({ error, asked_at, ...row }: Row): FeatureBackfill {
  return { ...row, error: error ?? undefined, askedAtMs: asked_at.getTime() };
}
