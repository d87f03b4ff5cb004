/**
 * Syslog over TLS has no acknowledgement: what was written to a connection that then breaks may have been read or not.
 * So each connection carries a few messages and is finished:
 *
 *     connected --all written--> settling --1 s--> finishing --the receiver closes, without a reset--> confirmed
 *         |                         |                  |
 *         '-------- it fails, or the receiver closes --'--no close in time--> unknown: sent again
 *
 * A receiver closes its side once it has read everything up to our end. One that is killed before it has read
 * everything makes its kernel reset the connection. The pause lets what is on its way arrive first, so that the end of
 * a receiver that died earlier is not taken for its answer.
 */
import { once } from 'node:events';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { readTlsFiles, type SyslogSettings } from './syslog-settings.ts';

export interface SendBounds {
  /** From the connection to its end. */
  readonly wholeMs: number;
  /** Longer than messages are on their way. */
  readonly settleMs: number;
}

export const sendBounds: SendBounds = { wholeMs: 60_000, settleMs: 1_000 };

type Target = Pick<SyslogSettings, 'host' | 'port' | 'tls'>;

/**
 * Resolves once the receiver has closed the connection behind these messages. Without messages: a check of the
 * receiver.
 *
 * @throws Error with the reason why it is unknown what the receiver has; `stop.reason`
 */
export async function sendConfirmed(
  target: Target,
  frames: readonly Buffer[],
  { stop, bounds = sendBounds }: { readonly stop: AbortSignal; readonly bounds?: SendBounds },
): Promise<void> {
  stop.throwIfAborted();
  const socket = open(target);
  const over = new AbortController();
  try {
    const watched = watch(socket);
    const late = delay(bounds.wholeMs, undefined, { signal: over.signal }).then(() => {
      throw new Error(`the receiver did not take everything and close within ${bounds.wholeMs / 1_000} seconds`);
    });
    const stopped = once(stop, 'abort', { signal: over.signal }).then(() => stop.throwIfAborted());
    const signal = over.signal;
    await Promise.race([exchange(socket, { frames, watched, settleMs: bounds.settleMs, signal }), late, stopped]);
  } finally {
    over.abort();
    socket.destroy();
  }
}

interface Watched {
  /** Rejects when the connection fails, or ends before its time. */
  readonly broken: Promise<never>;
  /** Resolves when it is closed without an error. */
  readonly closed: Promise<void>;
  /** From now on, the receiver may end it. */
  finishing(): void;
}

interface Exchange {
  readonly frames: readonly Buffer[];
  readonly watched: Watched;
  readonly settleMs: number;
  readonly signal: AbortSignal;
}

async function exchange(socket: Socket, { frames, watched, settleMs, signal }: Exchange): Promise<void> {
  const work = async (): Promise<void> => {
    await once(socket, 'encrypted' in socket ? 'secureConnect' : 'connect', { signal });
    await new Promise<void>((resolve) => {
      socket.write(Buffer.concat(frames), () => resolve());
    });
    await delay(settleMs, undefined, { signal });
    // After a stall of this process, what has arrived meanwhile is read first.
    await nextTurn();
    await nextTurn();
    watched.finishing();
    socket.end();
    await watched.closed;
  };
  await Promise.race([work(), watched.broken]);
}

function watch(socket: Socket): Watched {
  let isFinishing = false;
  const closed = Promise.withResolvers<void>();
  const broken = new Promise<never>((_, reject) => {
    socket.on('error', reject);
    socket.on('end', () => {
      if (!isFinishing) reject(new Error('the receiver closed the connection before everything was sent'));
    });
    socket.on('close', (hadError) => {
      if (isFinishing && !hadError) closed.resolve();
      else reject(new Error('the connection was closed before everything was sent'));
    });
  });
  // What the receiver says is not read, but its end is.
  socket.resume();
  return { broken, closed: closed.promise, finishing: () => (isFinishing = true) };
}

function open({ host, port, tls }: Target): Socket {
  if (tls === undefined) return connectTcp({ host, port });
  return connectTls({
    host,
    port,
    ...readTlsFiles(tls),
    ...(isIP(host) === 0 ? { servername: host } : {}),
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
  });
}
