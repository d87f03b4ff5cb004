import { randomUUID } from 'node:crypto';
import { type Decision, pending } from './decision.ts';
import type { DropReason } from './drop.ts';
import type { LoginEvent, LogoutEvent, OperationEvent, OutcomeReport, RingfenceEvent } from './event.ts';
import { printEvent } from './event-body.ts';
import { limits } from './limits.ts';
import { resolveOptions, type RingfenceOptions } from './options.ts';
import type { Asked } from './queue.ts';
import { Sender } from './sender.ts';
import type { Stats } from './stats.ts';
import { type AskStatus, createAskStatus } from './status.ts';

export interface SendOptions {
  /**
   * The same for the same event, across processes and restarts (for example a payment's id): the service keeps the
   * first one and recognizes the others as repeats, for 24 h. Visible ASCII, 1 to 255 characters. Default: a random one
   * per call.
   */
  readonly idempotencyKey?: string;
}

export interface WaitOptions extends SendOptions {
  /**
   * Requests the decision and waits for it at most this long, in milliseconds; values above 5,000 count as 5,000. The
   * event is delivered regardless of the wait. The wait occupies one of the client's connections, for up to a second
   * longer.
   */
  readonly waitMs: number;
}

/** Reports an event. With `waitMs`, resolves with its decision or `pending`, and never rejects. */
export interface Report<Event> {
  (event: Event, options: WaitOptions): Promise<Decision>;
  (event: Event, options?: SendOptions): void;
}

/**
 * Reports events to Ringfence without ever blocking or failing the caller.
 *
 * `login`, `logout`, `operation` and `outcome` copy the event into a bounded queue and return immediately; they never throw. They
 * return nothing, or with `waitMs` a promise of the decision. Attempts follow in the background, with the same
 * `Idempotency-Key` each time, until the event is stored, refused, or too old. Dropped events go to `onDrop`. The queue
 * is in memory only: call `close` before the process ends.
 */
export interface Ringfence {
  readonly login: Report<LoginEvent>;
  readonly logout: (event: LogoutEvent, options?: SendOptions) => void;
  readonly operation: Report<OperationEvent>;
  /** Reports what happened to an event on the bank's side; the event may still be on its way. */
  readonly outcome: (report: OutcomeReport, options?: SendOptions) => void;
  /** The decision about an event with its actions, or whether a session is active. Never rejects. */
  readonly status: AskStatus;
  /** Resolves with `true` once the queue is empty, or with `false` after `timeoutMs` (default 5 s). Never rejects. */
  readonly flush: (timeoutMs?: number) => Promise<boolean>;
  /**
   * Stops accepting events, waits at most `timeoutMs` (default 5 s) for the queued ones, drops the rest, and closes all
   * connections. Resolves with whether nothing was dropped. Never rejects.
   */
  readonly close: (timeoutMs?: number) => Promise<boolean>;
  readonly stats: () => Stats;
}

/** @throws TypeError for an invalid option */
export function createRingfence(options: RingfenceOptions): Ringfence {
  const resolved = resolveOptions(options);
  const sender = new Sender(resolved);
  let closing: Promise<boolean> | undefined;

  /** Whether the event was queued. */
  function take(event: RingfenceEvent, sendOptions: SendOptions | undefined, asked?: Asked): boolean {
    const drop = (reason: DropReason): false => {
      sender.drop(reason, event);
      return false;
    };
    if (closing !== undefined) return drop({ kind: 'closed', attempts: 0, lastFailure: undefined });
    try {
      const idempotencyKey = checkKey(sendOptions?.idempotencyKey) ?? randomUUID();
      const body = printEvent(event);
      const sizeBytes = body.length;
      if (sizeBytes > limits.eventBytesMax) return drop({ kind: 'tooLarge', sizeBytes });
      const lane = laneOf(event) ?? idempotencyKey;
      const takenAtMs = resolved.clock.nowMs();
      const queued = { kind: event.kind, lane, body, idempotencyKey, takenAtMs, asked };
      return sender.add({ ...queued, attempts: 0, lastFailure: undefined }) || drop({ kind: 'queueFull' });
    } catch (error) {
      // Callers may pass anything: a getter that throws, a cycle, a value that is not an object.
      return drop({ kind: 'unsendable', detail: error instanceof Error ? error.message : String(error) });
    }
  }

  function ask(event: RingfenceEvent, options: WaitOptions): Promise<Decision> {
    const waitMs = boundedWaitMs(options.waitMs);
    return new Promise((resolve) => {
      const answer = (decision: Decision): void => {
        cancel();
        resolve(decision);
      };
      const cancel = resolved.clock.schedule(waitMs, true, () => resolve(pending));
      const isHeld = take(event, options, { untilMs: resolved.clock.nowMs() + waitMs, answer });
      if (!isHeld || waitMs === 0) answer(pending);
    });
  }

  function report<Event>(wrap: (event: Event) => RingfenceEvent): Report<Event> {
    function reported(event: Event, options: WaitOptions): Promise<Decision>;
    function reported(event: Event, options?: SendOptions): void;
    function reported(event: Event, options?: Partial<WaitOptions>): Promise<Decision> | void {
      const waitMs = options?.waitMs;
      if (waitMs !== undefined) return ask(wrap(event), { ...options, waitMs });
      take(wrap(event), options);
    }
    return reported;
  }

  async function closeOnce(timeoutMs: number): Promise<boolean> {
    const isEmpty = await sender.flush(timeoutMs);
    sender.abandon();
    return isEmpty;
  }

  return {
    login: report((event) => ({ kind: 'login', event })),
    logout: (event, sendOptions) => void take({ kind: 'logout', event }, sendOptions),
    operation: report((event) => ({ kind: 'operation', event })),
    outcome: (event, sendOptions) => void take({ kind: 'outcome', event }, sendOptions),
    status: createAskStatus(resolved),
    flush: (timeoutMs = limits.flushTimeoutMs) => sender.flush(timeoutMs),
    close: (timeoutMs = limits.flushTimeoutMs) => (closing ??= closeOnce(timeoutMs)),
    stats: () => sender.stats(),
  };
}

/** What keeps its order: a session, or the reports about one event. `undefined` when the event has no client. */
function laneOf(event: RingfenceEvent): string | undefined {
  if (event.kind === 'outcome') return outcomeLane(event.event);
  const { channelId } = event.event;
  const isOperation = event.kind === 'operation';
  const client = isOperation ? event.event.account?.client : event.event.user;
  const session = isOperation ? event.event.account?.session : event.event.session;
  return client === undefined ? undefined : JSON.stringify([channelId, client, session ?? '']);
}

function outcomeLane(report: Readonly<Partial<Record<'event' | 'webhookId' | 'user' | 'reference', unknown>>>): string {
  const { event, webhookId, user, reference } = report;
  return JSON.stringify(['outcome', event ?? webhookId ?? [user, reference]]);
}

/** Returns 0, which means no wait, for invalid values: untyped callers may pass a symbol, and this must not throw. */
function boundedWaitMs(given: unknown): number {
  const waitMs = ['number', 'bigint', 'string'].includes(typeof given) ? Number(given) : 0;
  return waitMs > 0 ? Math.min(waitMs, limits.waitMsMax) : 0;
}

function checkKey(key: string | undefined): string | undefined {
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new TypeError('idempotencyKey must be 1 to 255 characters of visible ASCII');
  }
  return key;
}
