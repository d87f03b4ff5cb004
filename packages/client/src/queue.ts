import type { Decision } from './decision.ts';
import type { EventKind } from './event.ts';

/** A caller waits for the decision until this time of the client's clock. */
export interface Asked {
  readonly untilMs: number;
  /** Only the first call has an effect. */
  readonly answer: (decision: Decision) => void;
}

/** An accepted event that is not delivered yet. */
export interface QueuedEvent {
  readonly kind: EventKind;
  /** Identifies its session: first attempts of one lane are made one after the other. */
  readonly lane: string;
  readonly body: Buffer;
  readonly idempotencyKey: string;
  readonly takenAtMs: number;
  /** The caller that waits for its decision. */
  readonly asked: Asked | undefined;
  attempts: number;
  lastFailure: string | undefined;
}

/**
 * All waiting events, in the order in which they may be sent.
 *
 *     add -> fresh -> take -> (attempt) -> settle: gone
 *              |                  |
 *           behind             rest(dueAt) -> take, when due
 *
 * A fresh event whose session has a first attempt under way waits behind it, so that a login reaches the service before
 * its operations although requests run in parallel. Only first attempts wait for each other: a retry delays no other
 * event.
 */
export class Queue {
  readonly #eventsMax: number;
  readonly #bytesMax: number;
  readonly #fresh = new Fifo<QueuedEvent>();
  /** Released by the first attempt before them, and now occupying its lane: older than anything fresh. */
  readonly #freed = new Fifo<QueuedEvent>();
  /** By lane with a first attempt under way or about to start: the events behind it. */
  readonly #behind = new Map<string, Fifo<QueuedEvent>>();
  /** By due time, earliest first. */
  readonly #resting: { readonly dueAtMs: number; readonly event: QueuedEvent }[] = [];
  #events = 0;
  #bytes = 0;

  constructor(bounds: { readonly eventsMax: number; readonly bytesMax: number }) {
    this.#eventsMax = bounds.eventsMax;
    this.#bytesMax = bounds.bytesMax;
  }

  /** Events in the client: waiting, between attempts, or in an attempt. */
  get size(): number {
    return this.#events;
  }

  get sizeBytes(): number {
    return this.#bytes;
  }

  /** Adds an event; returns `false` when the queue is full, by count or by bytes. */
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

  /** Releases the lane, because the first attempt of the event is over or will not be made. */
  freeLane(event: QueuedEvent): void {
    const next = this.#behind.get(event.lane)?.shift();
    // The lane stays occupied by the released event.
    if (next === undefined) this.#behind.delete(event.lane);
    else this.#freed.push(next);
  }

  /** Sets a failed event aside until `dueAtMs`. */
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

  /**
   * Removes and returns all waiting events, oldest first, then those between attempts. They stay counted until
   * `settle`.
   */
  drain(): readonly QueuedEvent[] {
    const waiting = [this.#freed, ...this.#behind.values(), this.#fresh].flatMap((fifo) => fifo.drain());
    const resting = this.#resting.splice(0).map(({ event }) => event);
    this.#behind.clear();
    return [...waiting, ...resting];
  }

  /** Removes an event that was delivered or dropped. */
  settle(event: QueuedEvent): void {
    this.#events -= 1;
    this.#bytes -= event.body.length;
  }

  /** When the next retry is due; `undefined` without one. */
  get nextDueAtMs(): number | undefined {
    return this.#resting[0]?.dueAtMs;
  }

  /** Whether an event can be attempted without waiting for a retry to be due. */
  get hasFresh(): boolean {
    return this.#fresh.size > 0 || this.#freed.size > 0;
  }
}

/** First in, first out, in constant time: an array's shift moves all elements. */
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
    // Half of the array is empty: moving the rest costs no more than the shifts since the last time.
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}
