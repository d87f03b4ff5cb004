/**
 * Matches the reports of one workspace with their events:
 *
 *     waiting -> matched     its event was found: a `report` record and this state are committed together
 *             -> unmatched   it can have no event, or none came within 24 hours; with the reason
 *             -> waiting     tried again, after growing pauses, and when its operation arrives
 *
 * One process at a time works on a workspace. Reports about the same client are tried in the order of their arrival, so
 * that a later one is never overtaken by an earlier one that has waited.
 */
import { dayMs, hourMs, type OutcomeMessage } from '@ringfence/contract';
import type { ActionRef, OutcomeReport } from '@ringfence/engine';
import type { EventLog } from '@ringfence/log';
import type { Pool } from 'pg';
import type { FindDeps, FoundEvent } from '../console/event-index/find-events.ts';
import { whileLocked } from '../platform/database/advisory-lock.ts';
import { appendNoted } from '../platform/database/append-noted.ts';
import { reportEntry } from '../records/report-record.ts';
import { subjectsIn } from '../tenancy/subjects/client-seal.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { findOutcomeEvent } from './find-outcome-event.ts';
import { labelOf } from './outcome-label.ts';
import { reasonText } from './outcome-reasons.ts';
import { messageOf, outcomeColumns, type OutcomeRow } from './outcome-rows.ts';

export interface MatchDeps extends FindDeps {
  readonly log: Pick<EventLog, 'read' | 'appendWith'>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** How long a report waits for its operation. */
export const waitsMs = dayMs;
const firstPauseMs = 250;
/** `wakeArrived` finds most reports earlier. */
const pauseMsMax = hourMs;
/** Due reports of one round: a second of work. */
const batchMax = 100;
/** Clients whose reports are matched at the same time; each takes a connection for its commit. */
const clientsAtOnce = 2;

/** Tries all reports of a workspace that are due. @returns whether there may be more */
export async function matchOutcomes(deps: MatchDeps, workspace: Workspace): Promise<boolean> {
  const isMore = await whileLocked(deps.pool, { lock: `ringfence.outcomes ${workspace.id}` }, async () => {
    const rows = await dueRows(deps.pool, workspace.id, deps.now());
    const keys = await deps.subjects.bySubject(workspace, subjectsIn(rows));
    const groups = [...Map.groupBy(rows, ({ subject }) => subject).values()];
    const next = groups.values();
    const work = async (): Promise<void> => {
      for (const group of next) for (const row of group) await tryRow(deps, workspace, { row, keys });
    };
    await Promise.all(Array.from({ length: clientsAtOnce }, work));
    return rows.length >= batchMax;
  });
  return isMore ?? false;
}

/** Reports woken by one statement. */
const wokenMax = 1_000;

/**
 * Makes the reports due whose operation has arrived since they were last tried, in all workspaces. Costs one index
 * look-up for each waiting report that names a reference.
 */
export async function wakeArrived(pool: Pool, nowMs: number): Promise<void> {
  await pool.query({
    name: 'outcome_wake',
    // A lateral join with a limit forces look-ups by index, whatever the statistics of the tables are.
    text: `update outcome_report set next_try_at = $1 where state = 'waiting' and id in (
             select o.id from outcome_report o
               cross join unnest(o.reference_indexes) as sought(reference)
               cross join lateral (
                 select 1 from event e
                  where e.workspace_id = o.workspace_id and e.reference = sought.reference
                    and e.subject = o.subject and e.status <> 'waiting' limit 1) arrived
              where o.state = 'waiting' and o.next_try_at > $1 limit ${wokenMax} for update of o skip locked)`,
    values: [new Date(nowMs)],
  });
}

/** The reports that are due, and earlier ones about the same clients, in the order of their arrival. */
async function dueRows(pool: Pool, workspaceId: string, nowMs: number): Promise<readonly OutcomeRow[]> {
  const due = await pool.query<OutcomeRow>(
    `select ${outcomeColumns} from outcome_report
      where workspace_id = $1 and state = 'waiting' and next_try_at <= $2 order by next_try_at, seq limit ${batchMax}`,
    [workspaceId, new Date(nowMs)],
  );
  const subjects = subjectsIn(due.rows);
  const last = Math.max(...due.rows.map(({ seq }) => seq));
  const earlier =
    subjects.length === 0
      ? []
      : await pool
          .query<OutcomeRow>(
            `select ${outcomeColumns} from outcome_report
              where workspace_id = $1 and state = 'waiting' and subject = any ($2::text[]) and seq < $3
              order by seq limit ${batchMax}`,
            [workspaceId, subjects, last],
          )
          .then(({ rows }) => rows);
  const bySeq = new Map([...due.rows, ...earlier].map((row) => [row.seq, row]));
  return [...bySeq.values()].toSorted((a, b) => a.seq - b.seq);
}

interface Try {
  readonly row: OutcomeRow;
  readonly keys: ReadonlyMap<string, Buffer>;
}

/** A failure of one report is no failure of the others. */
async function tryRow(deps: MatchDeps, workspace: Workspace, { row, keys }: Try): Promise<void> {
  try {
    const message = messageOf(workspace, row, keys);
    if (message === undefined) return await giveUp(deps.pool, row, reasonText('erasedClient'));
    const found = await findOutcomeEvent(deps, workspace, { row, message });
    if (found.state === 'found') return await appendReport(deps, workspace, { ...found, row, message });
    if (found.state === 'unmatched') return await giveUp(deps.pool, row, found.reason);
    const isOver = deps.now() >= row.received_at.getTime() + waitsMs;
    // An event that is in the log will be decided, however long the engine is behind.
    if (isOver && !found.isCertain) return await giveUp(deps.pool, row, reasonText('tooLate', found.reason));
    await tryLater(deps, row, found.reason);
  } catch (error) {
    deps.onError(error);
    await tryLater(deps, row, row.reason ?? reasonText('notLookedUp')).catch(deps.onError);
  }
}

async function appendReport(
  { log }: MatchDeps,
  workspace: Workspace,
  {
    row,
    message,
    event: { record, key },
    action,
  }: {
    readonly row: OutcomeRow;
    readonly message: OutcomeMessage;
    readonly event: FoundEvent;
    readonly action: ActionRef | undefined;
  },
): Promise<void> {
  const report = {
    report: reportOf(workspace, message, action),
    author: row.author,
    atMs: row.happened_at?.getTime(),
    note: message.note,
  };
  const entry = reportEntry(record, report, { workspaceId: workspace.id, key });
  await appendNoted(log, { workspaceId: workspace.id, entry }, async (client) => {
    const noted = await client.query(
      `update outcome_report set state = 'matched', reason = null, "offset" = $2, epoch = $3, matched_at = now()
        where id = $1 and state = 'waiting'`,
      [row.id, record.offset, record.epoch],
    );
    return noted.rowCount === 1;
  });
}

function reportOf(workspace: Workspace, message: OutcomeMessage, action: ActionRef | undefined): OutcomeReport {
  const { outcome, method, type, code, stage, loss, recovered, currency } = message;
  const label = labelOf(message, workspace.settings);
  return {
    outcome,
    ...(action === undefined ? {} : { action }),
    ...(method === undefined ? {} : { method }),
    ...(type === undefined ? {} : { type }),
    ...(code === undefined ? {} : { code }),
    ...(stage === undefined ? {} : { stage }),
    ...(loss === undefined ? {} : { loss }),
    ...(recovered === undefined ? {} : { recovered }),
    ...(currency === undefined ? {} : { currency }),
    ...(label === undefined ? {} : { label }),
  };
}

async function giveUp(pool: Pool, { id }: OutcomeRow, reason: string): Promise<void> {
  await pool.query(`update outcome_report set state = 'unmatched', reason = $2 where id = $1 and state = 'waiting'`, [
    id,
    reason,
  ]);
}

async function tryLater({ pool, now }: MatchDeps, row: OutcomeRow, reason: string): Promise<void> {
  const nowMs = now();
  const overAtMs = row.received_at.getTime() + waitsMs;
  const pauseMs = Math.min(pauseMsMax, firstPauseMs * 2 ** Math.min(row.tries, 20));
  const nextMs = nowMs < overAtMs ? Math.min(nowMs + pauseMs, overAtMs) : nowMs + pauseMs;
  await pool.query(
    `update outcome_report set tries = tries + 1, next_try_at = $2, reason = $3 where id = $1 and state = 'waiting'`,
    [row.id, new Date(nextMs), reason],
  );
}
