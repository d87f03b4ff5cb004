import type { ActionTimes } from '../deciding/action-times.ts';
import { awaitedActionsMax, cooldownsMax } from '../limits.ts';
import type { KnownDevice } from '../devices/known-device.ts';
import { type FamiliarPlaces, nowhere } from '../network/familiar-places.ts';
import type { SubjectId } from '../record.ts';
import { SessionList } from '../sessions/session-list.ts';
import { RepeatMemory } from './repeat-memory.ts';

/** An action whose outcome has not come yet, and will change what comes after. */
export interface AwaitedAction {
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
  readonly action: number;
  /** The life of the session that was open when it was decided; action 2 closes no other. */
  readonly session: { readonly channelId: number; readonly id: string; readonly openedOffset: number } | undefined;
  /** Of a step-up, the id of the device that it was asked of; another one may log in before it is executed. */
  readonly device: string | undefined;
}

export interface Block {
  readonly atMs: number;
  readonly untilMs: number;
}

const none: ReadonlyMap<string, number> = new Map();
/** Of most clients. Never changed: a list that something is put into is another one. */
const nothing: readonly never[] = [];

/** What is kept about one client, under its random id. */
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
  /** The one that was used last comes last. */
  devices: readonly KnownDevice[] = nothing;
  places: FamiliarPlaces = nowhere;
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

  /** An event was decided that arrived at this log time. */
  seen(loggedAtMs: number): void {
    // A comparison with NaN, for none, is never true.
    if (!(this.#firstSeenMs <= loggedAtMs)) this.#firstSeenMs = loggedAtMs;
    if (!(this.#lastSeenMs >= loggedAtMs)) this.#lastSeenMs = loggedAtMs;
  }

  /** Times as they were kept. */
  restoreSeen(firstMs: number | undefined, lastMs: number | undefined): void {
    this.#firstSeenMs = firstMs ?? Number.NaN;
    this.#lastSeenMs = lastMs ?? Number.NaN;
  }

  await(action: AwaitedAction): void {
    this.awaited = [...this.awaited, action].slice(-awaitedActionsMax);
  }

  /** Until when a rule's actions are left out, by the rule and what its cooldown is about. */
  get cooldowns(): ReadonlyMap<string, number> {
    return this.#cooldowns ?? none;
  }

  isCooling(key: string, nowMs: number): boolean {
    const untilMs = this.#cooldowns?.get(key);
    return untilMs !== undefined && nowMs < untilMs;
  }

  /** Starts a cooldown. Those that are over make room, then the oldest. */
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

  /** When actions went out of rules that may act so often per client, by reason: made with the first question. */
  get actionTimes(): Map<number, ActionTimes> {
    return (this.#actionTimes ??= new Map());
  }

  get hasActionTimes(): boolean {
    return this.#actionTimes !== undefined;
  }

  /** A cooldown as it was kept. */
  restoreCooldown(key: string, untilMs: number): void {
    (this.#cooldowns ??= new Map()).set(key, untilMs);
  }
}
