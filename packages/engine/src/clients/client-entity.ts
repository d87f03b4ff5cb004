import { awaitedActionsMax, cooldownsMax } from '../limits.ts';
import type { SubjectId } from '../record.ts';
import type { Session } from '../sessions/session.ts';
import { RepeatMemory } from './repeat-memory.ts';

/** The last event of a client that was applied. */
export interface LastEvent {
  readonly body: string;
  readonly offset: number;
  readonly atMs: number;
}

/** An action 1 or 2 whose outcome has not come yet. */
export interface AwaitedAction {
  readonly offset: number;
  readonly reason: number;
  readonly position: number;
  readonly action: number;
  /** The life of the session that was open when it was decided; action 2 closes no other. */
  readonly session: { readonly channelId: number; readonly id: string; readonly openedOffset: number } | undefined;
}

export interface Block {
  readonly atMs: number;
  readonly untilMs: number;
}

const none: ReadonlyMap<string, number> = new Map();

/** What is kept about one client, under its random id. */
export class ClientEntity {
  readonly kind = 'client';
  readonly subject: SubjectId;
  changedIn = 0;
  changedPlace = 0;
  touched = true;

  /** Log time of the first and last events that were decided; `undefined` before the first. */
  firstSeenMs: number | undefined;
  lastSeenMs: number | undefined;
  logins = 0;
  operations = 0;
  block: Block | undefined;
  sessions: readonly Session[] = [];
  last: LastEvent | undefined;
  readonly repeats = new RepeatMemory();
  awaited: readonly AwaitedAction[] = [];
  #cooldowns: Map<string, number> | undefined;

  constructor(subject: SubjectId) {
    this.subject = subject;
  }

  isBlocked(nowMs: number): boolean {
    return this.block !== undefined && nowMs < this.block.untilMs;
  }

  /** An event was decided that arrived at this log time. */
  seen(loggedAtMs: number): void {
    this.firstSeenMs = Math.min(this.firstSeenMs ?? loggedAtMs, loggedAtMs);
    this.lastSeenMs = Math.max(this.lastSeenMs ?? loggedAtMs, loggedAtMs);
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

  /** A cooldown as it was kept. */
  restoreCooldown(key: string, untilMs: number): void {
    (this.#cooldowns ??= new Map()).set(key, untilMs);
  }
}
