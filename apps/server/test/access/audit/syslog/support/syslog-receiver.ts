import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { FrameReader, readMessage, type ReadMessage } from './read-syslog.ts';

/**
 * What the receiver does with a connection:
 *
 * - `read`: reads to the end, and closes
 * - `stall`: reads nothing
 * - `dieMidway`: is gone after the first bytes, with more unread
 * - `closeMidway`: ends the connection in order after the first bytes, as at a restart
 * - `resetAtEnd`: reads everything, and resets the connection
 * - `linger`: reads everything, and never closes
 */
export type Manner = 'read' | 'stall' | 'dieMidway' | 'closeMidway' | 'resetAtEnd' | 'linger';

export interface SyslogReceiver {
  readonly port: number;
  manner: Manner;
  /** Every whole message, in the order of arrival. */
  readonly messages: readonly ReadMessage[];
  readonly connections: number;
  /** Frames that were wrong; bytes of a message that was cut are no mistake. */
  readonly mistakes: readonly Error[];
  close(): Promise<void>;
}

/** A syslog server on this machine, over TLS or, without options, over TCP. It reads octet counting strictly. */
export async function syslogReceiver(tls: TlsOptions | undefined, port = 0): Promise<SyslogReceiver> {
  const messages: ReadMessage[] = [];
  const mistakes: Error[] = [];
  const open = new Set<Socket>();
  let connections = 0;
  const receiver = { manner: 'read' as Manner };

  const take = (socket: Socket, raw: Socket): void => {
    const { manner } = receiver;
    const frames = new FrameReader();
    socket.on('error', () => {});
    if (manner === 'stall') return void socket.pause();
    socket.on('data', (chunk: Buffer) => {
      try {
        messages.push(...frames.take(chunk).map(readMessage));
      } catch (error) {
        mistakes.push(error as Error);
      }
      if (manner === 'dieMidway') raw.destroy();
      if (manner === 'closeMidway') socket.pause().end();
    });
    socket.on('end', () => {
      if (frames.left > 0) mistakes.push(new Error('the last message has no end'));
      if (manner === 'resetAtEnd') raw.resetAndDestroy();
      else if (manner !== 'linger') socket.end();
    });
  };
  // The encrypted socket comes after the one below it, in the order of the handshakes: kept by its remote port.
  const below = new Map<number | undefined, Socket>();
  const server: Server =
    tls === undefined
      ? createServer({ allowHalfOpen: true }, (socket) => take(socket, socket))
      : createTlsServer({ ...tls, allowHalfOpen: true } as TlsOptions, (socket) =>
          take(socket, below.get(socket.remotePort)!),
        );
  server.on('connection', (socket: Socket) => {
    connections++;
    below.set(socket.remotePort, socket);
    open.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => open.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    mistakes,
    get manner() {
      return receiver.manner;
    },
    set manner(manner) {
      receiver.manner = manner;
    },
    get connections() {
      return connections;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
