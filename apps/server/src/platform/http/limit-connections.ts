import type { Server, Socket } from 'node:net';
import { clientNetworkOf } from './client-network.ts';
import type { ClientAddresses } from './client-address.ts';

export interface ConnectionLimit {
  /** Maximum open connections per address. Those of the operator's proxies are not counted: all senders share them. */
  readonly perAddressMax: number;
  /** Maximum open connections of all addresses together, proxies included. */
  readonly max: number;
  readonly senders: Pick<ClientAddresses, 'isProxy'>;
  /** Called for every connection that is closed because of the limit. */
  readonly onRefused: (address: string) => void;
}

/** Closes connections above a limit immediately, before anything is read from them. */
export function limitConnections(server: Server, { perAddressMax, max, senders, onRefused }: ConnectionLimit): void {
  server.maxConnections = max;
  server.on('drop', (refused) => onRefused(refused?.remoteAddress ?? ''));
  /** Bounded by the number of open connections. */
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress;
    if (address === undefined || senders.isProxy(address)) return;
    const network = clientNetworkOf(address);
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
