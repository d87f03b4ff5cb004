import type { ActionCore } from '../action.ts';
import type { OutcomeResult, PendingOutcome } from '../outbox.ts';

/** Columns of `ActionCore`, for `returning` and `select`. The table's alias is always `a`. */
export const coreColumns = `a.id, a.workspace_id, a.epoch, a."offset", a.reason, a.position, a.action, a.subject,
  a.channel_id, a.payload, a.format, a.decided_at, a.resolves`;

/** A row as the driver returns it: bigint is text, timestamptz a Date. */
export interface CoreRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly epoch: string;
  readonly offset: string;
  readonly reason: string;
  readonly position: number;
  readonly action: string;
  readonly subject: string | null;
  readonly channel_id: string;
  readonly payload: Buffer;
  readonly format: 'text' | 'html';
  readonly decided_at: Date;
  readonly resolves: string | null;
}

export function coreOf(row: CoreRow): ActionCore {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    epoch: Number(row.epoch),
    offset: Number(row.offset),
    reason: Number(row.reason),
    position: row.position,
    action: Number(row.action),
    subject: row.subject ?? undefined,
    channelId: Number(row.channel_id),
    payload: row.payload,
    format: row.format,
    decidedAtMs: row.decided_at.getTime(),
    ...(row.resolves === null ? {} : { resolves: row.resolves }),
  };
}

export const outcomeColumns = `a.id, a.workspace_id, a.subject, a."offset", a.reason, a.position, a.action, a.outcome`;

export interface OutcomeRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly subject: string | null;
  readonly offset: string;
  readonly reason: string;
  readonly position: number;
  readonly action: string;
  readonly outcome: OutcomeResult;
}

export function outcomeOf(row: OutcomeRow): PendingOutcome {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    subject: row.subject ?? undefined,
    offset: Number(row.offset),
    reason: Number(row.reason),
    position: row.position,
    action: Number(row.action),
    result: row.outcome,
  };
}
