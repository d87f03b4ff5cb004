import type { EpochMs } from '@ringfence/contract';
import type { Decision } from '@ringfence/engine';
import { boolArray, bytesArray, float8Array, int4Array, int8Array, textArray } from '@ringfence/log';
import { type NewAction, insertActions } from '@ringfence/delivery';
import type { ClientBase } from 'pg';
import { putBanks } from '../console/event-index/banks.ts';
import { entityColumns, type EntityRow, nothingSaid } from '../console/event-index/entity-rows.ts';
import { type LoginCount, loginCountColumns } from '../console/event-index/login-counts.ts';
import { insertLabels, type LabelRow } from '../console/labels/stored-labels.ts';
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
  /** Its row of `event_entity`; `undefined` for an event that was not opened. */
  readonly entities: EntityRow | undefined;
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
  readonly seen: readonly LoginCount[];
  /** Banks of accounts that were not written before. */
  readonly banks: readonly string[];
}

/** What must hold when a batch is committed: the owner of the partition, and its position. */
export interface BatchFence extends Ownership {
  /** The offset of the first record that the batch decides. */
  readonly fromOffset: number;
}

/** Another process owns the partition: this one must write nothing more. */
export class FencedError extends Error {
  override readonly name = 'FencedError';
}

/** A batch of an earlier run was committed after this run had read the position: it decided the same records. */
export class PositionMovedError extends Error {
  override readonly name = 'PositionMovedError';
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
 */
export async function writeBatch(client: ClientBase, fence: BatchFence, batch: Batch): Promise<void> {
  if (batch.late.length + batch.actions.length + batch.labels.length + batch.banks.length === 0) {
    await writeDecided(client, fence, batch);
    return;
  }
  await client.query('begin');
  try {
    await writeDecided(client, fence, batch);
    if (batch.late.length > 0) await updateWaiting(client, fence.workspaceId, batch.late);
    if (batch.actions.length > 0) await insertActions(client, batch.actions);
    if (batch.labels.length > 0) await insertLabels(client, fence.workspaceId, batch.labels);
    if (batch.banks.length > 0) await putBanks(client, fence.workspaceId, batch.banks);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Moves the position and inserts the events; does neither when the fence does not hold. */
async function writeDecided(client: ClientBase, fence: BatchFence, { position, events, seen }: Batch): Promise<void> {
  const moved = await client.query({
    name: 'host_decided',
    text: `with moved as (
             update engine_position set next_offset = $3, decided = $4, digest = $5, moved_at = now()
              where workspace_id = $1 and owner_epoch = $2 and next_offset = $36
             returning workspace_id
           ), r as (
             select moved.workspace_id, u.*
               from moved,
                    unnest($6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::bytea[], $11::integer[], $12::float8[],
                           $13::float8[], $14::text[], $15::float8[], $16::integer[], $17::bigint[], $18::boolean[],
                           $19::text[], $20::text[], $21::text[], $22::bytea[], $23::boolean[], $24::bytea[], $25::bytea[],
                           $26::bytea[], $27::bytea[], $28::bytea[], $29::text[], $30::text[], $31::text[])
                    as u("offset", epoch, kind, subject, session_index, channel_id, logged_ms, event_ms, status, decided_ms,
                         policy_version, repeat_of, matched, mismatch, fired, shadow, detail, is_opened, device, ip, account,
                         payee, reference, amount, currency, warnings)
           ), decided as (
             insert into event (workspace_id, "offset", epoch, kind, subject, session_index, channel_id, logged_at, event_at,
                                status, decided_at, policy_version, repeat_of, matched, mismatch, fired, shadow, detail)
             select r.workspace_id, r."offset", r.epoch, r.kind, r.subject, r.session_index, r.channel_id,
                    to_timestamp(r.logged_ms / 1000.0), to_timestamp(r.event_ms / 1000.0), r.status,
                    to_timestamp(r.decided_ms / 1000.0), r.policy_version, r.repeat_of, r.matched, r.mismatch,
                    r.fired::integer[], r.shadow::integer[], r.detail
               from r
             on conflict (workspace_id, "offset") do nothing
           ), named as (
             insert into event_entity (workspace_id, "offset", device, ip, account, payee, reference, amount, currency, warnings,
                                       channel)
             select r.workspace_id, r."offset", r.device, r.ip, r.account, r.payee, r.reference, r.amount::numeric, r.currency,
                    r.warnings::text[], r.channel_id
               from r where r.is_opened
             on conflict (workspace_id, "offset") do nothing
           ), seen as (
             insert into console_seen (workspace_id, "offset", at, name, key, count)
             select moved.workspace_id, ($6::bigint[])[1], to_timestamp(s.at_s), s.name, s.key, s.count
               from moved, unnest($32::float8[], $33::text[], $34::text[], $35::integer[]) as s(at_s, name, key, count)
           )
           select 1 from moved`,
    values: [
      fence.workspaceId,
      fence.epoch,
      position.nextOffset,
      position.decided,
      position.digest,
      int8Array(events.map((row) => row.record.offset)),
      int8Array(events.map((row) => row.epoch)),
      textArray(events.map((row) => row.eventKind)),
      textArray(events.map((row) => row.record.subject)),
      bytesArray(events.map((row) => row.sessionIndex)),
      int4Array(events.map((row) => row.channelId)),
      float8Array(events.map((row) => row.record.logTimeMs)),
      float8Array(events.map((row) => row.decision?.eventAtMs)),
      textArray(events.map((row) => row.status)),
      ...decisionColumns(events),
      boolArray(events.map((row) => row.entities !== undefined)),
      ...entityColumns(events.map((row) => row.entities ?? nothingSaid)),
      ...loginCountColumns(seen),
      fence.fromOffset,
    ],
  });
  if (moved.rowCount !== 1) throw await whyFenced(client, fence);
}

/** The reason why the position was not moved. */
async function whyFenced(client: ClientBase, { workspaceId, epoch, fromOffset }: BatchFence): Promise<Error> {
  const found = await client.query<{ owner_epoch: number; next_offset: number }>(
    `select owner_epoch, next_offset from engine_position where workspace_id = $1`,
    [workspaceId],
  );
  const at = found.rows[0];
  if (Number(at?.owner_epoch) !== epoch) return new FencedError(`workspace ${workspaceId} has another owner`);
  return new PositionMovedError(
    `workspace ${workspaceId}: the batch starting at record ${fromOffset} was not written, the position is at ${at!.next_offset}`,
  );
}

async function updateWaiting(client: ClientBase, workspaceId: string, rows: readonly LateDecision[]): Promise<void> {
  await client.query({
    name: 'host_waiting',
    text: `update event e
              set status = r.status, event_at = to_timestamp(r.event_ms / 1000.0),
                  decided_at = to_timestamp(r.decided_ms / 1000.0), policy_version = r.policy_version,
                  repeat_of = r.repeat_of, matched = r.matched, mismatch = r.mismatch,
                  fired = r.fired::integer[], shadow = r.shadow::integer[], detail = r.detail
             from unnest($2::bigint[], $3::text[], $4::float8[], $5::float8[], $6::integer[], $7::bigint[], $8::boolean[],
                         $9::text[], $10::text[], $11::text[], $12::bytea[])
                  as r("offset", status, event_ms, decided_ms, policy_version, repeat_of, matched, mismatch, fired, shadow, detail)
            where e.workspace_id = $1 and e."offset" = r."offset" and e.status = 'waiting'`,
    values: [
      workspaceId,
      int8Array(rows.map((row) => row.decision.offset)),
      textArray(rows.map((row) => row.decision.outcome)),
      float8Array(rows.map((row) => row.decision.eventAtMs)),
      ...decisionColumns(rows),
    ],
  });
}

/** The columns of a decision, in the order in which both statements name them. */
function decisionColumns(
  rows: readonly { readonly decision: Decision | undefined; readonly detail: Buffer | undefined }[],
): unknown[] {
  return [
    float8Array(rows.map((row) => row.decision?.atMs)),
    int4Array(rows.map((row) => row.decision?.policyVersion)),
    int8Array(rows.map((row) => row.decision?.repeatOf)),
    boolArray(rows.map((row) => row.decision?.session?.matched)),
    textArray(rows.map((row) => row.decision?.session?.mismatch)),
    textArray(rows.map((row) => reasons(row.decision, 'live'))),
    textArray(rows.map((row) => reasons(row.decision, 'shadow'))),
    bytesArray(rows.map((row) => row.detail)),
  ];
}

/** An integer array in PostgreSQL's array notation: `unnest` flattens arrays of arrays. */
function reasons(decision: Decision | undefined, mode: 'live' | 'shadow'): string {
  if (decision === undefined || decision.fired.length === 0) return '{}';
  const fired = decision.fired.filter((rule) => rule.mode === mode && rule.suppressed === undefined);
  return `{${fired.map((rule) => rule.reason).join(',')}}`;
}
