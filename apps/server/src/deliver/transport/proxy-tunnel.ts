import type { Socket } from 'node:net';
import { ConnectFailure } from './connect-failure.ts';
import { untilAborted } from './until-aborted.ts';

/** Bound on a proxy's answer to CONNECT: a status line and a few headers. */
const headBytesMax = 16 * 1_024;

export interface Tunnel {
  /** May contain a user name and a password, which are sent to it. */
  readonly proxy: URL;
  /** `host:port` of the target. */
  readonly authority: string;
  readonly signal: AbortSignal;
}

/**
 * Opens a tunnel (HTTP CONNECT) through a forward proxy on a connection to it; afterwards the socket leads to the
 * target.
 *
 * @throws ConnectFailure when the proxy refuses, or does not answer in HTTP
 */
export async function openTunnel(socket: Socket, { proxy, authority, signal }: Tunnel): Promise<Socket> {
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization =
    credentials === ':' ? '' : `Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  try {
    const head = await untilAborted(readHead(socket), signal);
    const status = /^HTTP\/1\.[01] (\d{3})\b/.exec(head)?.[1];
    if (status === undefined) throw new ConnectFailure('proxy', 'the proxy does not speak HTTP');
    if (!status.startsWith('2')) throw new ConnectFailure('proxy', `the proxy answered ${status}`);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Reads up to the empty line; later bytes are put back. */
function readHead(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let read = Buffer.alloc(0);
  const settle = (): void => {
    // Immediately, not when the promise is awaited: putting bytes back makes the socket readable again.
    socket.off('readable', readable).off('close', closed);
  };
  const readable = (): void => {
    for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
      read = Buffer.concat([read, chunk]);
      const end = read.indexOf('\r\n\r\n');
      if (end < 0 && read.length <= headBytesMax) continue;
      settle();
      if (end < 0) return reject(new ConnectFailure('proxy', "the proxy's answer is too long"));
      if (read.length > end + 4) socket.unshift(read.subarray(end + 4));
      return resolve(read.subarray(0, end).toString('latin1'));
    }
  };
  const closed = (): void => {
    settle();
    reject(new ConnectFailure('proxy', 'the proxy closed the connection'));
  };
  socket.on('readable', readable).once('close', closed);
  return promise;
}
