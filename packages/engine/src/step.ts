import { assert } from '@ringfence/contract';
import { concludeWaiting, stepEvent } from './deciding/step-event.ts';
import { missingKeys } from './deciding/missing-keys.ts';
import { stepControl } from './deciding/step-control.ts';
import type { Effect } from './effect.ts';
import type { EngineRecord } from './record.ts';
import type { EngineState } from './state.ts';

export type Step =
  /** Nothing was changed: give these entities with `supply`, and step the same record again. At most three times. */
  | { readonly kind: 'need'; readonly keys: readonly string[] }
  /** Effects in order; an event's actions stand right behind its decision. */
  | { readonly kind: 'done'; readonly effects: readonly Effect[] };

/**
 * One record in, what follows from it out; the state changes in place. Deterministic: the same records give the same
 * effects on any machine, however they are batched and whatever is in memory. Time is the records' own.
 *
 * Operations whose time to wait is over are decided first, at the instant at which it was; then the record itself.
 *
 * @param record later than the last one; offsets may be left out (quarantine), and log time never falls
 * @throws InvariantError for a record out of order or a broken state, which is then of no use any more: restore it
 */
export function step(state: EngineState, record: EngineRecord): Step {
  assert(record.offset > state.offset, 'records are stepped in order');
  assert(record.logTimeMs >= state.logTimeMs, 'log time never falls');
  const effects: Effect[] = [];
  state.store.rest();
  // What several decisions need is looked for beforehand; one event alone finds out on its way.
  if (record.kind !== 'event' || isDue(state, record.logTimeMs)) {
    const keys = missingKeys(state, record);
    if (keys.length > 0) return { kind: 'need', keys };
    fireTimers(state, record.logTimeMs, effects);
  }
  if (record.kind !== 'event') stepControl(state, record, effects);
  else {
    const keys = stepEvent(state, record, effects);
    if (keys.length > 0) return { kind: 'need', keys };
  }
  state.offset = record.offset;
  state.logTimeMs = record.logTimeMs;
  return { kind: 'done', effects };
}

/**
 * Keys that the record will ask for, as far as is known now: for fetching what a whole batch needs in one go. Needs
 * that only show once these are there are left to `step`.
 */
export function keysOf(state: EngineState, record: EngineRecord): readonly string[] {
  return missingKeys(state, record);
}

/** When the next timer is due, log time in ms: a record, or a tick, should come then. `undefined` when none runs. */
export function nextDueMs(state: EngineState): number | undefined {
  return state.waiting.first?.dueMs;
}

function isDue(state: EngineState, nowMs: number): boolean {
  return state.waiting.first !== undefined && state.waiting.first.dueMs <= nowMs;
}

function fireTimers(state: EngineState, nowMs: number, effects: Effect[]): void {
  for (let operation = state.waiting.first; operation !== undefined; operation = state.waiting.first) {
    if (operation.dueMs > nowMs) return;
    concludeWaiting(state, { operation, nowMs: operation.dueMs }, effects);
  }
}
