import { assert } from '@ringfence/contract';
import { decidePending } from './deciding/decide-pending.ts';
import { missingKeys } from './deciding/missing-keys.ts';
import { done, needs, paused, type Progress } from './deciding/progress.ts';
import { stepControl } from './deciding/step-control.ts';
import { stepEvent, stepWaiting } from './deciding/step-event.ts';
import type { Effect } from './effect.ts';
import { holdMsMin, outageMsMin, togetherMax, watchMs } from './limits.ts';
import { endByTime } from './holds/resolve-hold.ts';
import type { EngineRecord } from './record.ts';
import { clientKey } from './store/store.ts';
import { EngineState } from './state.ts';

export type Step =
  /**
   * The record is not stepped yet: load these entities, pass them to `supply`, and step the same record again. A
   * supplied entity is never requested again. A login, or operations that waited, may already be decided; no
   * checkpoint may begin before the record is done.
   */
  | { readonly kind: 'need'; readonly keys: readonly string[] }
  /** Effects in order; an event's actions directly follow its decision. */
  | { readonly kind: 'done'; readonly effects: readonly Effect[] };

const none: readonly string[] = [];

/**
 * Applies one record, in place, and returns its effects. Deterministic: the same records give the same effects on any
 * machine, with any batching and whatever is in memory. Time is the time of the records.
 *
 * Operations whose grace is over are decided first, as of the instant at which it ended; then the record itself.
 *
 * @param record later than the last one; offsets may be skipped (quarantine), and log time never falls
 * @throws InvariantError for a record out of order or a broken state, which must then be discarded and restored
 */
export function step(state: EngineState, record: EngineRecord): Step {
  for (;;) {
    const { effects, keys } = stepTogether(state, [record]);
    if (keys.length > 0) return { kind: 'need', keys };
    if (effects.length > 0) return { kind: 'done', effects: effects[0]! };
  }
}

/** The result of stepping records together. */
export interface SteppedTogether {
  /**
   * Effects of each record that was stepped, as from `step`. Empty if the first has more to decide than one call may:
   * step it again.
   */
  readonly effects: readonly (readonly Effect[])[];
  /** Entities that the next record needs: pass them to `supply`, and continue with it. Empty if the call did enough. */
  readonly keys: readonly string[];
}

/**
 * Steps records in order, up to the first that needs an entity, and fewer if the policy is costly. The result is the
 * same as of `step` for each of them, but faster. Each record is applied; then the events among them are decided
 * together:
 *
 * ```
 *   record ──▶ operations whose grace is over ──▶ event? ──no──▶ stepControl
 *              (each decided at once)               │yes
 *                                                   ▼
 *   stepEvent:      lookUp       client, retry, session, device
 *                   fillFrame    facts, and the entities of the features
 *                   remember     the event in its client and session
 *                   pending.add
 *                                │  up to `togetherMax` events
 *                                ▼
 *   decidePending:  features, group by group ──▶ rules ──▶ decision and actions
 * ```
 *
 * Only events are pending together: any other record may change what events are decided by, so those before it are
 * decided first.
 *
 * @param records at most `togetherMax`, as for `step`
 * @throws InvariantError as `step`; `state.steppingOffset` is the offset of the record
 */
export function stepTogether(state: EngineState, records: readonly EngineRecord[]): SteppedTogether {
  assert(records.length <= togetherMax, `at most ${togetherMax} records can be stepped together`);
  const effects: (readonly Effect[])[] = [];
  for (let rest = records.length; rest > 0; rest--) state.store.rest();
  let keys = none;
  for (const record of records) {
    const own = (state.effectsSoFar ??= []);
    const progress = applyRecord(state, record, own);
    keys = progress.keys;
    if (!progress.isDone) break;
    state.effectsSoFar = undefined;
    state.offset = record.offset;
    state.logTimeMs = record.logTimeMs;
    effects.push(own);
    if (effects.length >= state.plan.together) break;
  }
  decidePending(state);
  return { effects, keys };
}

/** Applies a record as far as known entities allow. */
function applyRecord(state: EngineState, record: EngineRecord, effects: Effect[]): Progress {
  if (record.kind !== 'event' || isMuchLater(state, record)) decidePending(state);
  state.steppingOffset = record.offset;
  assert(record.offset > state.offset, 'records must be stepped in order of their offsets');
  assert(record.logTimeMs >= state.logTimeMs, 'log time must not decrease');
  noteInterruption(state, record);
  if (record.kind !== 'event') {
    // Events discover missing entities while they are stepped; other records check in advance.
    const keys = missingKeys(state, record);
    if (keys.length > 0) return needs(keys);
  }
  const fired = fireTimers(state, record.logTimeMs, { effects, most: state.plan.together });
  if (fired === paused) return paused;
  if (!fired.isDone) return needs(missingKeys(state, record));
  if (record.kind === 'event') return stepEvent(state, record, effects);
  if (record.kind === 'policy' && record.folded instanceof EngineState) endFold(record.folded, record.logTimeMs);
  stepControl(state, record, effects);
  return done;
}

/**
 * Keys of unknown entities that the record will need, as far as is known now, to load those of a whole batch in one
 * query. `step` requests any that only become known once these are loaded.
 */
export function keysOf(state: EngineState, record: EngineRecord): readonly string[] {
  return missingKeys(state, record);
}

/**
 * Log time at which the next timer is due, ms: a record or a tick must be stepped then. `undefined` if there is none.
 */
export function nextDueMs({ waiting, holds, logTimeMs }: EngineState): number | undefined {
  const dueMs = Math.min(waiting.first?.dueMs ?? Infinity, holds.first?.dueMs ?? Infinity);
  if (dueMs === Infinity) return undefined;
  // Records at least this often show that there was no outage.
  return holds.isReleasing ? Math.min(dueMs, logTimeMs + watchMs) : dueMs;
}

/**
 * Whether a hold that a pending event opens may be due by now, or interrupted: then the event must be decided before.
 */
function isMuchLater({ plan: { pending }, epoch }: EngineState, record: EngineRecord): boolean {
  if (pending.count === 0) return false;
  return record.logTimeMs - pending.at(0).logTimeMs >= holdMsMin || (record.epoch !== epoch && epoch !== undefined);
}

/** After a restore or a long time without a record, payments that are held are not released by themselves. */
function noteInterruption(state: EngineState, { epoch, logTimeMs, offset }: EngineRecord): void {
  // Once, even if the record is stepped in parts: its timers may have opened holds by then.
  if (state.enteredOffset === offset) return;
  state.enteredOffset = offset;
  const isOtherEpoch = epoch !== undefined && state.epoch !== undefined && epoch !== state.epoch;
  if (epoch !== undefined) state.epoch = epoch;
  if (state.holds.first === undefined) return;
  if (isOtherEpoch || logTimeMs - state.logTimeMs > outageMsMin) state.holds.interrupt();
}

/**
 * Operations that will still wait at an instant that no record has reached. A feature backfill for a policy that
 * begins then excludes them (`leaveWaiting`): they count when they are decided.
 */
export function stillWaiting(state: EngineState, atMs: number): ReadonlySet<number> {
  const waiting = state.waiting.operations.filter(({ dueMs }) => dueMs > atMs);
  return new Set(waiting.map(({ arrival }) => arrival.record.offset));
}

/** Sets, before a backfill reaches any of them, the operations that still wait when its policy begins. */
export function leaveWaiting(fold: EngineState, offsets: ReadonlySet<number>): void {
  fold.leftWaiting = offsets;
}

/**
 * Finishes a backfill: operations that are due before the switch are decided in the history too. The live engine has
 * decided all others that wait here, by logins from before the history, which the backfill does not know.
 */
function endFold(fold: EngineState, nowMs: number): void {
  fireTimers(fold, nowMs, { effects: [], most: Infinity });
  for (const operation of fold.waiting.operations.slice()) {
    stepWaiting(fold, { operation, nowMs }, []);
    decidePending(fold);
  }
}

/**
 * Decides operations whose grace is over, and ends holds whose time is over, as of that instant: at most `most`, up to
 * the first that needs an entity.
 */
function fireTimers(
  state: EngineState,
  nowMs: number,
  { effects, most }: { readonly effects: Effect[]; readonly most: number },
): Progress {
  for (let decided = 0; ; decided++) {
    const operation = state.waiting.first;
    const hold = state.holds.first;
    const isWaiting = operation !== undefined && operation.dueMs <= (hold?.dueMs ?? Infinity);
    const dueMs = isWaiting ? operation.dueMs : hold?.dueMs;
    if (dueMs === undefined || dueMs > nowMs) return done;
    if (decided >= most) return paused;
    if (isWaiting) {
      const progress = stepWaiting(state, { operation, nowMs: dueMs }, effects);
      if (!progress.isDone) return progress;
      // Effects of the record itself must follow.
      decidePending(state);
    } else if (state.plan.pending.count > 0) {
      // An event before the deadline may still join the hold.
      decidePending(state);
    } else {
      const client = state.store.client(hold!.subject);
      if (client === undefined) return needs([clientKey(hold!.subject)]);
      effects.push(endByTime(state, hold!, client?.isBlocked(dueMs) === true));
    }
  }
}
