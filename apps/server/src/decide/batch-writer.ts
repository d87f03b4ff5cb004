import type { EpochMs } from '@ringfence/contract';
import type { Decision, FiredRule } from '@ringfence/engine';
import { type NewAction, insertActions } from '@ringfence/delivery';
import type { ClientBase, Pool } from 'pg';
import {
  countInsert,
  type EventIndex,
  type FoundBy,
  foundByColumns,
  putBanks,
} from '../console/event-index/event-index.ts';
import { insertReports, type ReportRow } from '../console/event-reports/stored-reports.ts';
import { insertLabels, type LabelRow } from '../console/labels/stored-labels.ts';
import { type HoldRow, writeHolds } from '../holds/hold-rows.ts';
import { type Columns, QueryParameters } from '../platform/database/query-parameters.ts';
import type { EventRanges } from '../records/event-ranges/event-ranges.ts';
import type { Ownership } from './ownership.ts';

/** The engine's position after a batch; written in the batch's own transaction. */
export interface Position {
  readonly nextOffset: number;
  readonly decided: number;
  readonly digest: Uint8Array;
}

/** One row of `event`, built from the record that carried the event. */
export interface EventRow {
  readonly record: { readonly offset: number; readonly logTimeMs: EpochMs; readonly subject: string | undefined };
  readonly epoch: number;
  readonly eventKind: string;
  readonly sessionIndex: Buffer | undefined;
  readonly channelId: number | undefined;
  readonly status: 'waiting' | 'decided' | 'repeat' | 'unreadable' | 'quarantined';
  readonly decision: Decision | undefined;
  readonly detail: Buffer | undefined;
  /** `undefined` for an event that is no longer readable. */
  readonly foundBy: FoundBy | undefined;
}

/** The decision of an event that an earlier batch wrote as waiting. */
export interface LateDecision {
  readonly decision: Decision;
  readonly detail: Buffer | undefined;
}

export interface Batch {
  readonly position: Position;
  readonly events: readonly EventRow[];
  readonly late: readonly LateDecision[];
  readonly actions: readonly NewAction[];
  readonly labels: readonly LabelRow[];
  readonly reports: readonly ReportRow[];
  readonly holds: readonly HoldRow[];
  /** Of the opened events; the banks that were not written before. */
  readonly index: EventIndex;
}

/** What must hold when a batch is committed: the owner of the partition, and its position. */
export interface BatchFence extends Ownership {
  /** The offset of the first record that the batch decides. */
  readonly fromOffset: number;
  /**
   * The log's epoch in which the last record was appended, if the records were not read from the database: after a
   * failover it may not have them.
   */
  readonly handedInEpoch?: number | undefined;
  readonly ranges: EventRanges;
}

/** Another process owns the partition: this one must write nothing more. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/** A batch of an earlier run was committed after this run had read the position: it decided the same records. */
export class PositionMovedError extends Error {
  override readonly name = 'PositionMovedError';
}

/** The records of a batch were handed over, and the log of this database does not have them: read them. */
export class RecordsLostError extends Error {
  override readonly name = 'RecordsLostError';
}

/**
 * Writes one batch atomically: the position behind its fence, the events with their decisions, the actions. Most
 * batches are position and events alone: one statement, which is its own transaction.
 *
 * After a commit with an unknown outcome, the next run begins at the stored position, moved or not. The statement of a
 * lost connection may still run then, before or after the next run's first batch: only the batch that starts at the
 * stored position is written, so nothing is written twice.
 *
 * @throws FencedError when the partition has another owner
 * @throws PositionMovedError when the stored position is not where the batch begins
 * @throws RecordsLostError when the batch has records that the database does not have
 */
export async function writeBatch(client: ClientBase, fence: BatchFence, batch: Batch): Promise<void> {
  const { late, actions, holds, labels, reports, index } = batch;
  if (late.length + actions.length + holds.length + labels.length + reports.length + index.banks.length === 0) {
    await writeDecided(client, fence, batch);
    return;
  }
  await client.query('begin');
  try {
    await writeDecided(client, fence, batch);
    if (late.length > 0) await updateWaiting(client, fence, late);
    if (actions.length > 0) await insertActions(client, actions);
    if (holds.length > 0) await writeHolds(client, fence.workspaceId, holds);
    if (labels.length > 0) await insertLabels(client, fence.workspaceId, labels);
    if (reports.length > 0) await insertReports(client, fence.workspaceId, reports);
    await putBanks(client, fence.workspaceId, index.banks);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Writes a batch on a connection of a pool, as `writeBatch`. */
export async function commitBatch(pool: Pool, fence: BatchFence, batch: Batch): Promise<void> {
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    await writeBatch(client, fence, batch);
  } catch (error) {
    failed = error as Error;
    fence.ranges.forget();
    throw error;
  } finally {
    client.release(failed);
  }
}

/**
 * Moves the position and inserts the events; does neither when the fence does not hold. The position only grows, and
 * all offsets of a batch are between its old and its new value, so no event is inserted twice.
 */
async function writeDecided(client: ClientBase, fence: BatchFence, { position, events, index }: Batch): Promise<void> {
  const offsets = events.length === 0 ? [] : [fence.fromOffset, position.nextOffset - 1];
  const table = await fence.ranges.make(client, offsets);
  const parameters = new QueryParameters();
  const $ = (value: unknown): string => parameters.add(value);
  const moved = await client.query({
    name: `host_decided_${fence.handedInEpoch === undefined ? 'read' : 'handed'}_${table}`,
    text: `with moved as (
             update engine_position
                set next_offset = ${$(position.nextOffset)}, decided = ${$(position.decided)}, digest = ${$(position.digest)},
                    moved_at = now()
              where workspace_id = ${$(fence.workspaceId)} and owner_epoch = ${$(fence.epoch)}
                and next_offset = ${$(fence.fromOffset)}${inLog(parameters, fence, position)}
             returning workspace_id
           ), decided as (
             insert into ${table} (workspace_id, "offset", epoch, kind, subject, session_index, channel_id, logged_at, event_at,
                                status, decided_at, policy_version, repeat_of, matched, mismatch, fired, shadow, detail,
                                device, ip, account, payee, reference, sent_reference, amount, currency, warnings,
                                payee_bank, country, control)
             select moved.workspace_id, r."offset", r.epoch, r.kind, r.subject, r.session_index, r.channel_id,
                    to_timestamp(r.logged_ms / 1000.0), to_timestamp(r.event_ms / 1000.0), r.status,
                    to_timestamp(r.decided_ms / 1000.0), r.policy_version, r.repeat_of, r.matched, r.mismatch,
                    r.fired::integer[], r.shadow::integer[], r.detail, r.device, r.ip, r.account, r.payee, r.reference,
                    r.sent_reference, r.amount::numeric, r.currency, r.warnings::text[], r.payee_bank, r.country,
                    r.control::integer[]
               from moved, ${parameters.table('r', eventColumns, events)}
           ), ${countInsert(parameters, 'moved', index)}
           select 1 from moved`,
    values: parameters.values,
  });
  if (moved.rowCount !== 1) throw await whyFenced(client, fence);
}

/** The condition that the log of this database has the records. */
function inLog(parameters: QueryParameters, { workspaceId, handedInEpoch }: BatchFence, position: Position): string {
  if (handedInEpoch === undefined) return '';
  const $ = (value: unknown): string => parameters.add(value);
  return `
                and exists (select from log_partition l where l.partition = ${$(workspaceId)} and l.epoch = ${$(handedInEpoch)}
                                                          and l.end_offset >= ${$(position.nextOffset)})`;
}

/** The reason why the position was not moved. */
async function whyFenced(
  client: ClientBase,
  { workspaceId, epoch, fromOffset, handedInEpoch }: BatchFence,
): Promise<Error> {
  const found = await client.query<{ owner_epoch: number; next_offset: number }>(
    `select owner_epoch, next_offset from engine_position where workspace_id = $1`,
    [workspaceId],
  );
  const at = found.rows[0];
  if (Number(at?.owner_epoch) !== epoch) return new FencedError(`workspace ${workspaceId} has another owner`);
  if (handedInEpoch !== undefined && at!.next_offset === fromOffset) {
    return new RecordsLostError(
      `workspace ${workspaceId}: the log was continued without records from ${fromOffset} on`,
    );
  }
  return new PositionMovedError(
    `workspace ${workspaceId}: the batch starting at record ${fromOffset} was not written, the position is at ${at!.next_offset}`,
  );
}

async function updateWaiting(client: ClientBase, fence: BatchFence, rows: readonly LateDecision[]): Promise<void> {
  const offsets = rows.map(({ decision }) => decision.offset);
  const [first, last] = [Math.min(...offsets), Math.max(...offsets)];
  const table = await fence.ranges.make(client, [first, last]);
  const parameters = new QueryParameters();
  await client.query({
    // Planned each time, for the ranges between the first and the last.
    text: `update ${table} e
              set status = r.status, event_at = to_timestamp(r.event_ms / 1000.0),
                  decided_at = to_timestamp(r.decided_ms / 1000.0), policy_version = r.policy_version,
                  repeat_of = r.repeat_of, matched = r.matched, mismatch = r.mismatch,
                  fired = r.fired::integer[], shadow = r.shadow::integer[], detail = r.detail,
                  country = r.country, control = r.control::integer[]
             from ${parameters.table('r', lateColumns, rows)}
            where e.workspace_id = ${parameters.add(fence.workspaceId)} and e."offset" = r."offset" and e.status = 'waiting'
              and e."offset" between ${parameters.add(first)} and ${parameters.add(last)}`,
    values: parameters.values,
  });
}

const decisionColumns: Columns<{ readonly decision: Decision | undefined; readonly detail: Buffer | undefined }> = {
  event_ms: ['float8', ({ decision }) => decision?.eventAtMs],
  decided_ms: ['float8', ({ decision }) => decision?.atMs],
  policy_version: ['integer', ({ decision }) => decision?.policyVersion],
  repeat_of: ['bigint', ({ decision }) => decision?.repeatOf],
  matched: ['boolean', ({ decision }) => decision?.session?.matched],
  mismatch: ['text', ({ decision }) => decision?.session?.mismatch],
  fired: ['text', ({ decision }) => reasons(decision, 'fired')],
  shadow: ['text', ({ decision }) => reasons(decision, 'shadow')],
  detail: ['bytea', ({ detail }) => detail],
  country: ['text', ({ decision }) => decision?.country],
  control: ['text', ({ decision }) => emptyAsNull(reasons(decision, 'control'))],
};

const eventColumns: Columns<EventRow> = {
  offset: ['bigint', ({ record }) => record.offset],
  epoch: ['bigint', ({ epoch }) => epoch],
  kind: ['text', ({ eventKind }) => eventKind],
  subject: ['text', ({ record }) => record.subject],
  session_index: ['bytea', ({ sessionIndex }) => sessionIndex],
  channel_id: ['integer', ({ channelId }) => channelId],
  logged_ms: ['float8', ({ record }) => record.logTimeMs],
  status: ['text', ({ status }) => status],
  ...decisionColumns,
  ...foundByColumns,
};

const lateColumns: Columns<LateDecision> = {
  offset: ['bigint', ({ decision }) => decision.offset],
  status: ['text', ({ decision }) => decision.outcome],
  ...decisionColumns,
};

/** An integer array in PostgreSQL's array notation: `unnest` flattens arrays of arrays. */
function reasons(decision: Decision | undefined, column: FiredColumn): string {
  if (decision === undefined || decision.fired.length === 0) return none;
  return `{${reasonsIn(decision, column).join(',')}}`;
}

const none = '{}';

function emptyAsNull(array: string): string | undefined {
  return array === none ? undefined : array;
}

export type FiredColumn = 'fired' | 'shadow' | 'control';

/**
 * Rules in a column of the event's row. `fired`: those that acted. `shadow`: those in shadow, to which an event in a
 * control group counts. `control`: the latter alone.
 */
export function reasonsIn({ fired }: Decision, column: FiredColumn): readonly number[] {
  return fired.filter((rule) => isIn(rule, column)).map(({ reason }) => reason);
}

function isIn({ mode, suppressed }: FiredRule, column: FiredColumn): boolean {
  if (suppressed === 'control') return column !== 'fired';
  return suppressed === undefined && column === (mode === 'live' ? 'fired' : 'shadow');
}
