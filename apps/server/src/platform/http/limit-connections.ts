import type { Server, Socket } from 'node:net';
import { networkOf } from './client-network.ts';
import type { Senders } from './client-address.ts';

export interface ConnectionLimit {
  /** Open connections of one address. Those of the operator's proxies are not counted: all senders share them. */
  readonly perAddressMax: number;
  readonly senders: Pick<Senders, 'isProxy'>;
  /** Called for every connection that is closed for it. */
  readonly onRefused: (address: string) => void;
}

/** Closes connections beyond the limit of their address at once, before anything is read of them. */
export function limitConnections(server: Server, { perAddressMax, senders, onRefused }: ConnectionLimit): void {
  /** Bounded by the open connections. */
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || senders.isProxy(address)) return;
    const network = networkOf(address);
    const count = open.get(network) ?? 0;
    if (count >= perAddressMax) {
      socket.destroy();
      onRefused(address);
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
