import { unreachable } from '@ringfence/contract';
import type { Server, Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import { clientNetworkOf } from './client-network.ts';
import type { ClientAddresses } from './client-address.ts';

export interface ConnectionLimit {
  /** Maximum open connections per address. Those of the operator's proxies are not counted: all senders share them. */
  readonly perAddressMax: number;
  /** Maximum open connections of all addresses together, proxies included. */
  readonly max: number;
  readonly senders: Pick<ClientAddresses, 'isProxy'>;
  /** Called for every connection that is refused because of a limit. */
  readonly onRefused: (refused: RefusedConnection) => void;
  /** The HTTP response to a connection above `max`. */
  readonly fullAnswer: () => string;
}

export interface RefusedConnection {
  /** The address has too many; all together have; the process has no file for it. */
  readonly why: 'address' | 'all' | 'files';
  /** `undefined` if the connection was gone before it could be read. */
  readonly address: string | undefined;
}

/** One line for each; the log counts those that repeat. */
export function logRefused(
  logger: { warn(fields: object, message: string): void },
  { listener, max, refused }: { readonly listener: string; readonly max: number; readonly refused: RefusedConnection },
): void {
  const { why, address } = refused;
  switch (why) {
    case 'address':
      logger.warn({ listener, address }, 'too many connections from this address: new ones are closed');
      return;
    case 'all':
      logger.warn({ listener, max }, 'too many connections in all: new ones are answered 503');
      return;
    case 'files':
      logger.warn({ listener }, 'the process may open no more files: new connections are closed');
      return;
    default:
      unreachable(why);
  }
}

/** Connections above `max` that are open at once to be answered. Further ones are closed at once. */
export const answeredMax = 64;
const answerMsMax = 1_000;

/** Refuses connections above a limit immediately, before a request is read from them. */
export function limitConnections(server: Server, limit: ConnectionLimit): void {
  limitAll(server, limit);
  limitEachAddress(server, limit);
  // Without a listener, a connection that the kernel refuses for lack of a file would end the process.
  server.on('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall === 'accept') limit.onRefused({ why: 'files', address: undefined });
    else if (server.listenerCount('error') === 1) throw error;
  });
}

/** Under TLS a connection counts from the end of its handshake, because an answer needs one. */
function limitAll(server: Server, { max, onRefused, fullAnswer }: ConnectionLimit): void {
  server.maxConnections = max + answeredMax;
  server.on('drop', (refused) => onRefused({ why: 'all', address: refused?.remoteAddress }));
  const isOpen = server instanceof TlsServer ? 'secureConnection' : 'connection';
  const serve = server.listeners(isOpen);
  server.removeAllListeners(isOpen);
  let open = 0;
  server.on(isOpen, (socket: Socket) => {
    if (socket.destroyed) return;
    if (open >= max) {
      onRefused({ why: 'all', address: socket.remoteAddress });
      answerAndClose(socket, fullAnswer());
      return;
    }
    open += 1;
    socket.once('close', () => (open -= 1));
    for (const listener of serve) listener.call(server, socket);
  });
}

function limitEachAddress(server: Server, { perAddressMax, senders, onRefused }: ConnectionLimit): void {
  /** Bounded by the number of open connections. */
  const open = new Map<string, number>();
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || senders.isProxy(address)) return;
    const network = clientNetworkOf(address);
    const count = open.get(network) ?? 0;
    if (count >= perAddressMax) {
      socket.destroy();
      onRefused({ why: 'address', address });
      return;
    }
    open.set(network, count + 1);
    socket.once('close', () => {
      const left = open.get(network)! - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}

/** What the client sends is thrown away: a close with unread bytes would be a reset, and could overtake the answer. */
function answerAndClose(socket: Socket, answer: string): void {
  socket.on('error', () => socket.destroy());
  socket.setTimeout(answerMsMax, () => socket.destroy());
  socket.resume();
  socket.end(answer);
}
