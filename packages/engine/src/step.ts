import { assert } from '@ringfence/contract';
import { concludeWaiting, stepEvent } from './deciding/step-event.ts';
import { missingKeys } from './deciding/missing-keys.ts';
import { settle } from './deciding/conclude.ts';
import { stepControl } from './deciding/step-control.ts';
import type { Effect } from './effect.ts';
import { togetherMax } from './limits.ts';
import type { EngineRecord } from './record.ts';
import { EngineState } from './state.ts';

export type Step =
  /**
   * The record is not stepped yet: give these entities with `supply`, and step the same record again. It never asks
   * twice for what it was given. A login, or operations that waited, may have been decided already; no checkpoint may
   * begin before the record is done.
   */
  | { readonly kind: 'need'; readonly keys: readonly string[] }
  /** Effects in order; an event's actions stand right behind its decision. */
  | { readonly kind: 'done'; readonly effects: readonly Effect[] };

const none: readonly string[] = [];

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
  for (;;) {
    const { effects, keys } = stepTogether(state, [record]);
    if (keys.length > 0) return { kind: 'need', keys };
    if (effects.length > 0) return { kind: 'done', effects: effects[0]! };
  }
}

/** What came of records that were stepped together. */
export interface SteppedTogether {
  /** Of each record that was stepped, as `step` gives them. None where the first has more to decide than is done at once: step it again. */
  readonly effects: readonly (readonly Effect[])[];
  /** Entities that the next record needs: give them with `supply`, and go on with it. None where enough was done. */
  readonly keys: readonly string[];
}

/**
 * Steps records one after the other, up to the first that needs something, and fewer where the policy takes long for each:
 * the same comes out as of `step` for each of them, sooner.
 *
 * @param records at most `togetherMax`, as they are for `step`
 * @throws InvariantError as `step`; `state.underHand` tells at which record
 */
export function stepTogether(state: EngineState, records: readonly EngineRecord[]): SteppedTogether {
  assert(records.length <= togetherMax, `at most ${togetherMax} records are stepped together`);
  const effects: (readonly Effect[])[] = [];
  for (let rest = records.length; rest > 0; rest--) state.store.rest();
  let keys = none;
  for (const record of records) {
    const begun = (state.begun ??= []);
    keys = begin(state, record, begun);
    if (keys.length > 0 || state.isUnfinished) break;
    effects.push(begun);
    if (effects.length >= state.plan.together) break;
  }
  settle(state);
  return { effects, keys };
}

/** Steps a record as far as what is known allows; events that it has decided are yet to be settled. */
function begin(state: EngineState, record: EngineRecord, effects: Effect[]): readonly string[] {
  state.underHand = record.offset;
  assert(record.offset > state.offset, 'records are stepped in order');
  assert(record.logTimeMs >= state.logTimeMs, 'log time never falls');
  state.isUnfinished = false;
  const keys = stepOn(state, record, effects);
  if (keys.length > 0 || state.isUnfinished) return keys;
  state.begun = undefined;
  state.offset = record.offset;
  state.logTimeMs = record.logTimeMs;
  return none;
}

/** Goes on as far as what is known allows. @returns keys of what must be known to go further */
function stepOn(state: EngineState, record: EngineRecord, effects: Effect[]): readonly string[] {
  // An event and operations that waited find out on their way what is not known; all others look beforehand.
  if (record.kind !== 'event') {
    settle(state);
    const keys = missingKeys(state, record);
    if (keys.length > 0) return keys;
  }
  if (!fireTimers(state, record.logTimeMs, { effects, most: state.plan.together }))
    return state.isUnfinished ? none : missingKeys(state, record);
  if (record.kind === 'event') return stepEvent(state, record, effects);
  if (record.kind === 'policy' && record.folded instanceof EngineState) endFold(record.folded, record.logTimeMs);
  stepControl(state, record, effects);
  return none;
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

/**
 * Operations that wait still at an instant which no record has reached yet. A fold for a policy that begins then leaves them
 * out (`leaveWaiting`): they count when they are decided.
 */
export function stillWaiting(state: EngineState, atMs: number): ReadonlySet<number> {
  const waiting = state.waiting.operations.filter(({ dueMs }) => dueMs > atMs);
  return new Set(waiting.map(({ arrival }) => arrival.record.offset));
}

/** Tells a fold, before it has come to any of them, which operations still wait where its policy begins. */
export function leaveWaiting(fold: EngineState, offsets: ReadonlySet<number>): void {
  fold.leftWaiting = offsets;
}

/**
 * What is due before the switch is so in the history that comes with it, too. All that waits there then was decided by the
 * engine that goes on: by a login from before the history, of which the fold knows nothing.
 */
function endFold(fold: EngineState, nowMs: number): void {
  fireTimers(fold, nowMs, { effects: [], most: Infinity });
  for (const operation of fold.waiting.operations.slice()) {
    concludeWaiting(fold, { operation, nowMs }, []);
    settle(fold);
  }
}

/**
 * Decides operations whose time to wait is over. Answers false at the first of which something is not known, and where
 * more are due than are decided at once.
 */
function fireTimers(
  state: EngineState,
  nowMs: number,
  { effects, most }: { readonly effects: Effect[]; readonly most: number },
): boolean {
  let decided = 0;
  for (let operation = state.waiting.first; operation !== undefined; operation = state.waiting.first) {
    if (operation.dueMs > nowMs) return true;
    if (decided >= most) {
      state.isUnfinished = true;
      return false;
    }
    if (!concludeWaiting(state, { operation, nowMs: operation.dueMs }, effects)) return false;
    decided++;
    // What the record itself brings about comes behind it.
    settle(state);
  }
  return true;
}
