import type { Decision } from './decision.ts';
import type { EventKind } from './event.ts';

/** Somebody waits for a decision: until then, on the clock of the client. */
export interface Asked {
  readonly untilMs: number;
  /** Only the first call counts. */
  readonly answer: (decision: Decision) => void;
}

/** An event that was taken and is not yet delivered. */
export interface QueuedEvent {
  readonly kind: EventKind;
  /** Names its session: first attempts of one lane go one after the other. */
  readonly lane: string;
  readonly body: Buffer;
  readonly idempotencyKey: string;
  readonly takenAtMs: number;
  /** Who waits for its decision. */
  readonly asked: Asked | undefined;
  attempts: number;
  lastFailure: string | undefined;
}

/**
 * Everything that waits, in the order in which it may be sent.
 *
 *     add -> fresh -> take -> (attempt) -> settle: gone
 *              |                  |
 *           behind             rest(dueAt) -> take, when due
 *
 * A fresh event whose session has a first attempt under way stands behind it, so that a login reaches the service
 * before its operations although requests run in parallel. Only first attempts wait for each other: an event that
 * is retried delays nobody.
 */
export class Queue {
  readonly #eventsMax: number;
  readonly #bytesMax: number;
  readonly #fresh = new Fifo<QueuedEvent>();
  /** Let go by the first attempt before them, whose lane they hold now: older than anything fresh. */
  readonly #freed = new Fifo<QueuedEvent>();
  /** By lane with a first attempt under way or about to be: who stands behind it. */
  readonly #behind = new Map<string, Fifo<QueuedEvent>>();
  /** By due time, soonest first. */
  readonly #resting: { readonly dueAtMs: number; readonly event: QueuedEvent }[] = [];
  #events = 0;
  #bytes = 0;

  constructor(bounds: { readonly eventsMax: number; readonly bytesMax: number }) {
    this.#eventsMax = bounds.eventsMax;
    this.#bytesMax = bounds.bytesMax;
  }

  /** Events that are held: waiting, resting, or in an attempt. */
  get size(): number {
    return this.#events;
  }

  get sizeBytes(): number {
    return this.#bytes;
  }

  /** Takes an event in; `false` when there is no room, by count or by bytes. */
  add(event: QueuedEvent): boolean {
    if (this.#events >= this.#eventsMax || this.#bytes + event.body.length > this.#bytesMax) return false;
    this.#events += 1;
    this.#bytes += event.body.length;
    this.#fresh.push(event);
    return true;
  }

  /** The next event to attempt, retries first. It stays counted until `settle`. */
  take(nowMs: number): QueuedEvent | undefined {
    const due = this.#resting[0];
    if (due !== undefined && due.dueAtMs <= nowMs) return this.#resting.shift()?.event;
    const freed = this.#freed.shift();
    if (freed !== undefined) return freed;
    for (let event = this.#fresh.shift(); event !== undefined; event = this.#fresh.shift()) {
      const behind = this.#behind.get(event.lane);
      if (behind === undefined) {
        this.#behind.set(event.lane, new Fifo());
        return event;
      }
      behind.push(event);
    }
    return undefined;
  }

  /** The event's first attempt is over, or there will be none: who stood behind it may go. */
  freeLane(event: QueuedEvent): void {
    const next = this.#behind.get(event.lane)?.shift();
    // The lane stays taken by the one that is freed.
    if (next === undefined) this.#behind.delete(event.lane);
    else this.#freed.push(next);
  }

  /** Puts an event whose attempt failed aside until `dueAtMs`. */
  rest(event: QueuedEvent, dueAtMs: number): void {
    let low = 0;
    let high = this.#resting.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#resting[middle]!.dueAtMs <= dueAtMs) low = middle + 1;
      else high = middle;
    }
    this.#resting.splice(low, 0, { dueAtMs, event });
  }

  /** Gives up everything that waits, oldest first but for what rests. It stays counted until `settle`. */
  drain(): readonly QueuedEvent[] {
    const waiting = [this.#freed, ...this.#behind.values(), this.#fresh].flatMap((fifo) => fifo.drain());
    const resting = this.#resting.splice(0).map(({ event }) => event);
    this.#behind.clear();
    return [...waiting, ...resting];
  }

  /** The event leaves: delivered or dropped. */
  settle(event: QueuedEvent): void {
    this.#events -= 1;
    this.#bytes -= event.body.length;
  }

  /** When the next retry is due; `undefined` when none rests. */
  get nextDueAtMs(): number | undefined {
    return this.#resting[0]?.dueAtMs;
  }

  /** Whether an event could be attempted without waiting for a retry to be due. */
  get hasFresh(): boolean {
    return this.#fresh.size > 0 || this.#freed.size > 0;
  }
}

/** First in, first out, in constant time: a plain array's shift moves all that is behind it. */
class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    this.#items.push(item);
  }

  drain(): readonly T[] {
    const items = this.#items.slice(this.#head);
    this.#items = [];
    this.#head = 0;
    return items;
  }

  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined as T;
    this.#head += 1;
    // Half of it is empty: moving the rest costs no more than what was shifted since the last time.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
