import type { ActionTimes } from '../deciding/action-times.ts';
import { awaitedActionsMax, cooldownsMax, stepUpReachMs } from '../limits.ts';
import type { KnownDevice } from '../devices/known-device.ts';
import type { LoginHabits } from '../habits/login-habits.ts';
import { type FamiliarPlaces, nowhere } from '../network/familiar-places.ts';
import type { SubjectId } from '../record.ts';
import { SessionList } from '../sessions/session-list.ts';
import type { LastOutcome, StepUpResult } from './reported-outcomes.ts';
import { RepeatMemory } from './repeat-memory.ts';

/** An action without an outcome so far. Once executed, it will change the facts of later events. */
export interface AwaitedAction {
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
  readonly action: number;
  /** Log time of its decision. */
  readonly atMs: number;
  /** The session lifetime that was open when the action was decided; action 2 closes no other. */
  readonly session: { readonly channelId: number; readonly id: string; readonly openedOffset: number } | undefined;
  /** For a step-up, the id of the device that has to pass it; another device may log in before it is executed. */
  readonly device: string | undefined;
  /**
   * For a step-up, the methods that make the device trusted once it is passed. `undefined` for actions that take effect
   * when they are executed: 1, 2, and step-ups that trust on execution.
   */
  readonly methods: readonly string[] | undefined;
}

export interface Block {
  readonly atMs: number;
  readonly untilMs: number;
}

const none: ReadonlyMap<string, number> = new Map();
/** Shared empty list of most clients. Never mutated: adding an item creates a new list. */
const nothing: readonly never[] = [];

/** What is kept about one client, under its random subject id. */
export class ClientEntity {
  readonly kind = 'client';
  readonly subject: SubjectId;
  changedIn = 0;
  changedPlace = 0;
  nameHash = 0;
  place = 0;
  touched = false;

  /** NaN before the first event. */
  #firstSeenMs = Number.NaN;
  #lastSeenMs = Number.NaN;
  logins = 0;
  operations = 0;
  block: Block | undefined;
  readonly sessions = new SessionList();
  readonly repeats = new RepeatMemory();
  awaited: readonly AwaitedAction[] = nothing;
  /** Results of step-ups, the newest last. */
  stepUps: readonly StepUpResult[] = nothing;
  lastOutcome: LastOutcome | undefined;
  /** The most recently used device is last. */
  devices: readonly KnownDevice[] = nothing;
  places: FamiliarPlaces = nowhere;
  /** `undefined` unless a policy reads how surprising logins are. */
  habits: LoginHabits | undefined;
  #cooldowns: Map<string, number> | undefined;
  #actionTimes: Map<number, ActionTimes> | undefined;

  constructor(subject: SubjectId) {
    this.subject = subject;
  }

  isBlocked(nowMs: number): boolean {
    return this.block !== undefined && nowMs < this.block.untilMs;
  }

  /** Log time of the first event that was decided; `undefined` before it. */
  get firstSeenMs(): number | undefined {
    return Number.isNaN(this.#firstSeenMs) ? undefined : this.#firstSeenMs;
  }

  /** Log time of the last event that was decided; `undefined` before the first. */
  get lastSeenMs(): number | undefined {
    return Number.isNaN(this.#lastSeenMs) ? undefined : this.#lastSeenMs;
  }

  /** Records that an event which arrived at this log time was decided. */
  seen(loggedAtMs: number): void {
    // A comparison with NaN (no event so far) is always false.
    if (!(this.#firstSeenMs <= loggedAtMs)) this.#firstSeenMs = loggedAtMs;
    if (!(this.#lastSeenMs >= loggedAtMs)) this.#lastSeenMs = loggedAtMs;
  }

  /** Restores times from a snapshot. */
  restoreSeen(firstMs: number | undefined, lastMs: number | undefined): void {
    this.#firstSeenMs = firstMs ?? Number.NaN;
    this.#lastSeenMs = lastMs ?? Number.NaN;
  }

  /** Step-ups that only wait for their result are forgotten when it no longer counts. */
  await(action: AwaitedAction): void {
    const kept = this.awaited.filter(
      ({ atMs, methods }) => methods === undefined || action.atMs - atMs <= stepUpReachMs,
    );
    this.awaited = [...kept, action].slice(-awaitedActionsMax);
  }

  /** The log time at which each running cooldown ends, by rule and the scope of its cooldown. */
  get cooldowns(): ReadonlyMap<string, number> {
    return this.#cooldowns ?? none;
  }

  isCooling(key: string, nowMs: number): boolean {
    const untilMs = this.#cooldowns?.get(key);
    return untilMs !== undefined && nowMs < untilMs;
  }

  /** Starts a cooldown. Cooldowns that are over are removed first, then the oldest. */
  cool(key: string, untilMs: number, nowMs: number): void {
    const cooldowns = (this.#cooldowns ??= new Map());
    cooldowns.delete(key);
    for (const [other, otherUntilMs] of cooldowns) if (otherUntilMs <= nowMs) cooldowns.delete(other);
    for (const oldest of cooldowns.keys()) {
      if (cooldowns.size < cooldownsMax) break;
      cooldowns.delete(oldest);
    }
    cooldowns.set(key, untilMs);
  }

  /** Times of delivered actions by `reason`, for rules with a cap per client. Created on first use. */
  get actionTimes(): Map<number, ActionTimes> {
    return (this.#actionTimes ??= new Map());
  }

  get hasActionTimes(): boolean {
    return this.#actionTimes !== undefined;
  }

  /** Restores a cooldown from a snapshot. */
  restoreCooldown(key: string, untilMs: number): void {
    (this.#cooldowns ??= new Map()).set(key, untilMs);
  }
}
