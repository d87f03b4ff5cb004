import { assert } from '@ringfence/contract';
import type { ActionState } from './action-state.ts';
import type { ActionCore, NewAction, StoredAction } from './action.ts';
import type { ActionFilter, Selection } from './deliveries.ts';
import type { Attempt, OutcomeResult, PendingOutcome } from './outbox.ts';
import { sessionKeyOf, sessionText } from './session-key.ts';

/** A row of the memory outbox: `core` repeats what does not change. */
export interface MemoryRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly action: number;
  readonly core: ActionCore;
  readonly contentHash: Uint8Array;
  readonly sequence: number;
  readonly lifetimeMs: number;
  /** Its `sessionText`; `undefined` when no session order applies. */
  readonly session: string | undefined;
  readonly sessionIndex: Uint8Array | undefined;
  readonly history: Attempt[];
  state: ActionState;
  dueAtMs: number;
  expiresAtMs: number;
  attempts: number;
  round: number;
  answered: boolean;
  token: number;
  finishedAtMs: number | undefined;
  outcome: { readonly result: OutcomeResult; claimedUntilMs: number } | undefined;
}

export function newRow(action: NewAction, sequence: number): MemoryRow {
  const { sessionIndex, contentHash, state, dueAtMs, expiresAtMs, ...core } = action;
  const key = sessionKeyOf(action);
  return {
    id: action.id,
    workspaceId: action.workspaceId,
    action: action.action,
    core,
    contentHash,
    sequence,
    lifetimeMs: expiresAtMs - action.decidedAtMs,
    session: key && sessionText(key),
    sessionIndex,
    history: [],
    state,
    dueAtMs,
    expiresAtMs,
    attempts: 0,
    round: 0,
    answered: false,
    token: 0,
    finishedAtMs: undefined,
    outcome: undefined,
  };
}

export function storedOf(row: MemoryRow): StoredAction {
  const { sequence, state, attempts, expiresAtMs, finishedAtMs } = row;
  const dueAtMs = state === 'due' ? row.dueAtMs : undefined;
  return { ...row.core, sequence, state, attempts, expiresAtMs, dueAtMs, finishedAtMs };
}

export function outcomeOf(row: MemoryRow): PendingOutcome {
  assert(row.outcome !== undefined, 'the action has an outcome to report');
  const { id, workspaceId, subject, offset, reason, position, action } = row.core;
  return { id, workspaceId, subject, offset, reason, position, action, result: row.outcome.result };
}

export function selected(row: MemoryRow, selection: Selection): boolean {
  if ('filter' in selection) return matches(row, selection.filter);
  return row.workspaceId === selection.workspaceId && selection.ids.includes(row.id);
}

export function matches(row: MemoryRow, filter: ActionFilter): boolean {
  const { core } = row;
  return (
    core.workspaceId === filter.workspaceId &&
    (filter.states?.includes(row.state) ?? true) &&
    (filter.subject === undefined || core.subject === filter.subject) &&
    (filter.sessionIndex === undefined || sameBytes(row.sessionIndex, filter.sessionIndex)) &&
    (filter.offset === undefined || core.offset === filter.offset) &&
    (filter.reason === undefined || core.reason === filter.reason) &&
    (filter.fromMs === undefined || core.decidedAtMs >= filter.fromMs) &&
    (filter.toMs === undefined || core.decidedAtMs < filter.toMs) &&
    (filter.finishedFromMs === undefined || (row.finishedAtMs ?? -Infinity) >= filter.finishedFromMs) &&
    (filter.finishedToMs === undefined || (row.finishedAtMs ?? Infinity) < filter.finishedToMs)
  );
}

function sameBytes(left: Uint8Array | undefined, right: Uint8Array): boolean {
  return left !== undefined && Buffer.compare(left, right) === 0;
}
