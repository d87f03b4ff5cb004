import type { Pool } from 'pg';
import type { ActionState } from '../action-state.ts';
import type { StoredAction } from '../action.ts';
import { type ActionFilter, listedMax, type NumberedAttempt } from '../deliveries.ts';
import type { FailureReason } from '../failure-reason.ts';
import type { Attempt } from '../outbox.ts';
import { filterCondition } from './action-condition.ts';
import { coreColumns, coreOf, type CoreRow } from './action-row.ts';

interface StoredRow extends CoreRow {
  readonly seq: string;
  readonly state: ActionState;
  readonly attempts: number;
  readonly expires_at: Date;
  readonly due_at: Date;
  readonly finished_at: Date | null;
}

const storedColumns = `${coreColumns}, a.seq, a.state, a.attempts, a.expires_at, a.due_at, a.finished_at`;

export async function findAction(pool: Pool, workspaceId: string, id: string): Promise<StoredAction | undefined> {
  const { rows } = await pool.query<StoredRow>(
    `select ${storedColumns} from action a where a.workspace_id = $1 and a.id = $2`,
    [workspaceId, id],
  );
  return rows[0] === undefined ? undefined : storedOf(rows[0]);
}

export async function listActions(
  pool: Pool,
  filter: ActionFilter,
  page: { readonly limit: number; readonly before: number | undefined },
): Promise<readonly StoredAction[]> {
  const condition = filterCondition(filter, 3);
  const { rows } = await pool.query<StoredRow>(
    `select ${storedColumns} from action a
      where ($1::bigint is null or a.seq < $1) and ${condition.text} order by a.seq desc limit $2`,
    [page.before ?? null, Math.min(page.limit, listedMax), ...condition.values],
  );
  return rows.map(storedOf);
}

function storedOf(row: StoredRow): StoredAction {
  return {
    ...coreOf(row),
    sequence: Number(row.seq),
    state: row.state,
    attempts: row.attempts,
    expiresAtMs: row.expires_at.getTime(),
    dueAtMs: row.state === 'due' ? row.due_at.getTime() : undefined,
    finishedAtMs: row.finished_at?.getTime(),
  };
}

interface AttemptRow {
  readonly number: number;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly result: Attempt['result'];
  readonly reason: FailureReason | null;
  readonly status: number | null;
  readonly detail: Buffer;
}

export async function readAttempts(pool: Pool, workspaceId: string, id: string): Promise<readonly NumberedAttempt[]> {
  const { rows } = await pool.query<AttemptRow>(
    `select t.number, t.started_at, t.duration_ms, t.result, t.reason, t.status, t.detail
       from attempt t join action a on a.id = t.action_id
      where a.workspace_id = $1 and a.id = $2 order by t.number`,
    [workspaceId, id],
  );
  return rows.map((row) => ({
    number: row.number,
    startedAtMs: row.started_at.getTime(),
    durationMs: row.duration_ms,
    result: row.result,
    reason: row.reason ?? undefined,
    status: row.status ?? undefined,
    detail: row.detail,
  }));
}
