import { Problem } from '@ringfence/contract';
import type { HistoryStart } from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';

/** With which history new features are to begin. */
export interface PlannedStart {
  readonly history: HistoryStart;
  /** Events and records that are to be folded. */
  readonly total: number;
}

/** A policy whose new features begin with history, and how far that is. */
export interface PolicyStart {
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
  readonly state: PolicyStart['state'];
  readonly done: number;
  readonly total: number;
  readonly error: string | null;
  readonly asked_at: Date;
}

const columns = `version, history, state, done, total, error, asked_at`;

/**
 * A version that was switched to before begins anew: its next switch has not come yet.
 *
 * @throws Problem `state.conflict` when a history that it begins with was removed since it was planned
 */
export async function insertStart(
  client: ClientBase,
  workspaceId: string,
  start: PlannedStart & { readonly version: number },
): Promise<void> {
  const { segments } = start.history;
  // Held until the commit: who removes one looks then for the starts that name it.
  const present = await client.query(
    `select 1 from history_segment where workspace_id = $1 and id = any($2) and state = 'complete' for share`,
    [workspaceId, segments],
  );
  if (present.rowCount !== segments.length) {
    throw new Problem('state.conflict', 'A history that its new features begin with has just been removed.');
  }
  await client.query(
    `insert into policy_start (workspace_id, version, history, total) values ($1, $2, $3, $4)
     on conflict (workspace_id, version) do update
       set history = $3, total = $4, state = 'folding', done = 0, error = null, switch_offset = null, asked_at = now(),
           ended_at = null`,
    [workspaceId, start.version, JSON.stringify(start.history), start.total],
  );
}

/** Another version was asked for: what is folded is not switched to any more. */
export async function cancelStarts(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query(
    `update policy_start set state = 'cancelled', ended_at = now() where workspace_id = $1 and state = 'folding'`,
    [workspaceId],
  );
}

/** The one that is to be folded; `undefined` when there is none. */
export async function readFolding(pool: Pool, workspaceId: string): Promise<PolicyStart | undefined> {
  const found = await pool.query<Row>(
    `select ${columns} from policy_start where workspace_id = $1 and state = 'folding' order by version desc limit 1`,
    [workspaceId],
  );
  return found.rows.map(printRow)[0];
}

/** The history that a version was readied with, when its record is not in the log yet. */
export async function readReady(
  client: ClientBase,
  workspaceId: string,
  version: number,
): Promise<HistoryStart | undefined> {
  const found = await client.query<Row>(
    `select ${columns} from policy_start where workspace_id = $1 and version = $2 and state = 'ready'`,
    [workspaceId, version],
  );
  return found.rows[0]?.history;
}

/** The newest first, at most twenty. */
export async function listStarts(pool: Pool, workspaceId: string): Promise<readonly PolicyStart[]> {
  const found = await pool.query<Row>(
    `select ${columns} from policy_start where workspace_id = $1 order by asked_at desc limit 20`,
    [workspaceId],
  );
  return found.rows.map(printRow);
}

/** Behind no fence: a process that lost the partition says at most how far it is. @returns false when it was cancelled meanwhile */
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

/** Call behind the fence: another process may fold it well. */
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
 * Where the base of the log may stand at most, when it would stand at `offset`: what a switch that comes later begins
 * with is kept until the base is behind that switch.
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

/** Whether a switch that can still be replayed begins with this segment. */
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

function printRow({ error, asked_at, ...row }: Row): PolicyStart {
  return { ...row, error: error ?? undefined, askedAtMs: asked_at.getTime() };
}
