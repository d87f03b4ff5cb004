import { randomUUID } from 'node:crypto';
import type { LoginEvent, LogoutEvent, OperationEvent, RingfenceEvent } from './event.ts';
import { printEvent } from './event-body.ts';
import { limits } from './limits.ts';
import { resolveOptions, type RingfenceOptions } from './options.ts';
import { Sender } from './sender.ts';
import type { Stats } from './stats.ts';

export interface SendOptions {
  /**
   * The same for the same event, across processes and restarts (a payment's own id, say): the service keeps the first
   * and knows the others for repeats, for 24 h. Visible ASCII, 1 to 255 characters. Default: a random one per call.
   */
  readonly idempotencyKey?: string;
}

/**
 * Reports events to Ringfence without ever holding up or failing the caller.
 *
 * `login`, `logout` and `operation` copy the event into a bounded queue and return: they throw nothing, wait for
 * nothing and promise nothing. Attempts follow in the background, with the same `Idempotency-Key` each time, until the
 * event is stored, refused, or too old. What is left out goes to `onDrop`. What is queued lives in memory only: `close`
 * before the process ends.
 */
export interface Ringfence {
  readonly login: (event: LoginEvent, options?: SendOptions) => void;
  readonly logout: (event: LogoutEvent, options?: SendOptions) => void;
  readonly operation: (event: OperationEvent, options?: SendOptions) => void;
  /** Resolves with `true` once nothing is held, or with `false` after `timeoutMs`. Never rejects. */
  readonly flush: (timeoutMs: number) => Promise<boolean>;
  /**
   * Takes no more events, waits at most `timeoutMs` for those held, drops the rest, and lets go of all connections.
   * Resolves with whether nothing had to be dropped. Never rejects.
   */
  readonly close: (timeoutMs?: number) => Promise<boolean>;
  readonly stats: () => Stats;
}

/** @throws TypeError when an option can't work */
export function createRingfence(options: RingfenceOptions): Ringfence {
  const resolved = resolveOptions(options);
  const sender = new Sender(resolved);
  let closing: Promise<boolean> | undefined;

  function take(event: RingfenceEvent, sendOptions: SendOptions | undefined): void {
    if (closing !== undefined) return sender.drop({ kind: 'closed', attempts: 0, lastFailure: undefined }, event);
    try {
      const idempotencyKey = checkKey(sendOptions?.idempotencyKey) ?? randomUUID();
      const body = printEvent(event);
      const sizeBytes = body.length;
      if (sizeBytes > limits.eventBytesMax) return sender.drop({ kind: 'tooLarge', sizeBytes }, event);
      const lane = laneOf(event) ?? idempotencyKey;
      const takenAtMs = resolved.clock.nowMs();
      const queued = { kind: event.kind, lane, body, idempotencyKey, takenAtMs, attempts: 0, lastFailure: undefined };
      if (!sender.add(queued)) sender.drop({ kind: 'queueFull' }, event);
    } catch (error) {
      // Whatever a caller hands over: a getter that throws, a cycle, no object at all.
      sender.drop({ kind: 'unsendable', detail: error instanceof Error ? error.message : String(error) }, event);
    }
  }

  async function closeOnce(timeoutMs: number): Promise<boolean> {
    const isEmpty = await sender.flush(timeoutMs);
    sender.abandon();
    return isEmpty;
  }

  return {
    login: (event, sendOptions) => take({ kind: 'login', event }, sendOptions),
    logout: (event, sendOptions) => take({ kind: 'logout', event }, sendOptions),
    operation: (event, sendOptions) => take({ kind: 'operation', event }, sendOptions),
    flush: (timeoutMs) => sender.flush(timeoutMs),
    close: (timeoutMs = limits.closeTimeoutMs) => (closing ??= closeOnce(timeoutMs)),
    stats: () => sender.stats(),
  };
}

/** The session whose events keep their order; `undefined` when the event names no client. */
function laneOf(event: RingfenceEvent): string | undefined {
  const { channelId } = event.event;
  const isOperation = event.kind === 'operation';
  const client = isOperation ? event.event.account?.client : event.event.user;
  const session = isOperation ? event.event.account?.session : event.event.session;
  return client === undefined ? undefined : JSON.stringify([channelId, client, session ?? '']);
}

function checkKey(key: string | undefined): string | undefined {
  if (key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new TypeError('idempotencyKey must be 1 to 255 characters of visible ASCII');
  }
  return key;
}
