import { readLagSeconds, readVerdict, type Verdict } from './answer.ts';
import { Brake } from './brake.ts';
import { pending, readDecision } from './decision.ts';
import type { DropReason } from './drop.ts';
import type { RingfenceEvent } from './event.ts';
import { parseEvent } from './event-body.ts';
import { limits } from './limits.ts';
import type { ResolvedOptions } from './options.ts';
import { Queue, type QueuedEvent } from './queue.ts';
import { retryDelayMs } from './retry-delay.ts';
import type { Stats } from './stats.ts';
import type { TransportAnswer } from './transport.ts';

/**
 * Takes events from the queue and processes each until it is stored, refused, or dropped.
 *
 * `#pump` is the main loop. It starts as many attempts as are allowed and sets one timer for the next retry or probe.
 * It runs when an event is added, an attempt ends, or the timer fires. No method throws, and no promise rejects: every
 * failure ends in `onDrop`.
 */
export class Sender {
  readonly #options: ResolvedOptions;
  readonly #queue: Queue;
  readonly #brake: Brake;
  readonly #inFlight = new Set<QueuedEvent>();
  readonly #whenEmpty = new Set<() => void>();
  readonly #dropped = { queueFull: 0, tooLarge: 0, unsendable: 0, refused: 0, expired: 0, closed: 0 };
  #delivered = 0;
  #retried = 0;
  #lastFailure: string | undefined;
  #lagSeconds: number | undefined;
  #isPumpDue = false;
  #isReporting = false;
  #cancelTimer: (() => void) | undefined;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#queue = new Queue({ eventsMax: options.queueEventsMax, bytesMax: options.queueBytesMax });
    this.#brake = new Brake({
      failures: limits.brakeFailures,
      delayMsMin: options.retryDelayMsMin,
      delayMsMax: options.retryDelayMsMax,
    });
  }

  /** Queues the event; returns `false` when the queue is full. Requests start in a later turn of the event loop. */
  add(event: QueuedEvent): boolean {
    if (!this.#queue.add(event)) return false;
    if (!this.#isPumpDue) {
      this.#isPumpDue = true;
      setImmediate(() => {
        this.#isPumpDue = false;
        this.#pump();
      });
    }
    return true;
  }

  /** Counts and reports a dropped event. */
  drop(reason: DropReason, event: RingfenceEvent): void {
    this.#dropped[reason.kind] += 1;
    if (this.#isReporting) return;
    this.#isReporting = true;
    try {
      // A callback declared to return nothing may still be an async function, and reject.
      const returned: unknown = this.#options.onDrop(reason, event);
      if (returned instanceof Promise) returned.catch(() => undefined);
    } catch {
      // An error in the bank's callback must not fail a payment.
    } finally {
      this.#isReporting = false;
    }
  }

  /** Resolves with `true` once the queue is empty, or with `false` after `timeoutMs`. */
  flush(timeoutMs: number): Promise<boolean> {
    if (this.#queue.size === 0) return Promise.resolve(true);
    return new Promise((resolve) => {
      const finish = (isEmpty: boolean): void => {
        cancel();
        this.#whenEmpty.delete(emptied);
        resolve(isEmpty);
      };
      const emptied = (): void => finish(true);
      const cancel = this.#options.clock.schedule(timeoutMs, true, () => finish(false));
      this.#whenEmpty.add(emptied);
    });
  }

  /** Drops all remaining events and cancels requests under way. */
  abandon(): void {
    this.#cancelTimer?.();
    for (const event of this.#inFlight) this.#giveUp('closed', event);
    this.#inFlight.clear();
    for (const event of this.#queue.drain()) this.#giveUp('closed', event);
    this.#options.transport.close();
  }

  stats(): Stats {
    return {
      queued: this.#queue.size,
      queuedBytes: this.#queue.sizeBytes,
      inFlight: this.#inFlight.size,
      delivered: this.#delivered,
      retried: this.#retried,
      dropped: { ...this.#dropped },
      isBraked: this.#brake.isSet,
      lagSeconds: this.#lagSeconds,
      lastFailure: this.#lastFailure,
    };
  }

  #pump(): void {
    const nowMs = this.#options.clock.nowMs();
    while (this.#inFlight.size < this.#brake.parallel(nowMs, this.#options.parallelMax)) {
      const event = this.#queue.take(nowMs);
      if (event === undefined) break;
      if (nowMs - event.takenAtMs <= this.#options.eventAgeMsMax) {
        void this.#attempt(event);
        continue;
      }
      if (event.attempts === 0) this.#queue.freeLane(event);
      this.#giveUp('expired', event);
    }
    this.#armTimer(nowMs);
  }

  /** Schedules the pump for events that wait for a time rather than for an attempt to end. */
  #armTimer(nowMs: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const dueAtMs = this.#queue.hasFresh ? nowMs : this.#queue.nextDueAtMs;
    if (dueAtMs === undefined) return;
    const atMs = Math.max(dueAtMs, this.#brake.untilMs ?? 0);
    if (atMs > nowMs) this.#cancelTimer = this.#options.clock.schedule(atMs - nowMs, false, () => this.#pump());
  }

  async #attempt(event: QueuedEvent): Promise<void> {
    this.#inFlight.add(event);
    event.attempts += 1;
    const { verdict, answer } = await this.#send(event);
    this.#lagSeconds = readLagSeconds(answer?.lag) ?? this.#lagSeconds;
    // Dropped meanwhile by `abandon`.
    if (!this.#inFlight.delete(event)) return;
    if (event.attempts === 1) this.#queue.freeLane(event);
    if (verdict.kind === 'retry') this.#failed(event, verdict);
    else {
      this.#brake.succeeded();
      event.asked?.answer(verdict.kind === 'stored' && answer !== undefined ? readDecision(answer) : pending);
      this.#settle(event);
      if (verdict.kind === 'stored') this.#delivered += 1;
      else
        this.drop(
          { ...verdict, status: answer?.status ?? 0, requestId: answer?.requestId },
          parseEvent(event.kind, event.body),
        );
    }
    this.#pump();
  }

  async #send(event: QueuedEvent): Promise<{ verdict: Verdict; answer: TransportAnswer | undefined }> {
    const waitSeconds = this.#waitSeconds(event);
    const prefer = waitSeconds === 0 ? {} : { prefer: `wait=${waitSeconds}` };
    try {
      const answer = await this.#options.transport.send({
        path: this.#options.pathPrefix + event.kind,
        headers: { ...this.#options.headers, 'idempotency-key': event.idempotencyKey, ...prefer },
        body: event.body,
        timeoutMs: this.#options.requestTimeoutMs + waitSeconds * 1_000,
      });
      return { verdict: readVerdict(answer), answer };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      return { verdict: { kind: 'retry', why, retryAfterMs: undefined }, answer: undefined };
    }
  }

  /**
   * Seconds that the service is asked to wait; 0 when the caller no longer waits, so that queued events are sent
   * quickly.
   */
  #waitSeconds({ asked }: QueuedEvent): number {
    if (asked === undefined) return 0;
    return Math.max(0, Math.ceil((asked.untilMs - this.#options.clock.nowMs()) / 1_000));
  }

  #failed(event: QueuedEvent, failure: Extract<Verdict, { kind: 'retry' }>): void {
    const { clock, random } = this.#options;
    const nowMs = clock.nowMs();
    event.lastFailure = failure.why;
    this.#lastFailure = failure.why;
    this.#brake.failed(nowMs, random(), failure.retryAfterMs);
    const bounds = { delayMsMin: this.#options.retryDelayMsMin, delayMsMax: this.#options.retryDelayMsMax };
    const delayMs = Math.max(retryDelayMs(bounds, event.attempts, random()), failure.retryAfterMs ?? 0);
    if (nowMs + delayMs - event.takenAtMs > this.#options.eventAgeMsMax) return this.#giveUp('expired', event);
    this.#retried += 1;
    this.#queue.rest(event, nowMs + delayMs);
  }

  #giveUp(kind: 'expired' | 'closed', event: QueuedEvent): void {
    event.asked?.answer(pending);
    this.#settle(event);
    const { attempts, lastFailure } = event;
    this.drop({ kind, attempts, lastFailure }, parseEvent(event.kind, event.body));
  }

  #settle(event: QueuedEvent): void {
    this.#queue.settle(event);
    if (this.#queue.size === 0) for (const emptied of this.#whenEmpty) emptied();
  }
}
