import { networkInterfaces } from 'node:os';
import { classifyAddress } from '@ringfence/delivery';

/**
 * Returns a test of whether an address and port are one of this service's own listeners.
 *
 * @param ports called every time: listeners may be bound after the dispatcher has started
 */
export function ownListeners(ports: () => readonly number[]): (address: string, port: number) => boolean {
  const addresses = new Set(
    Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)),
  );
  return (address, port) => {
    if (!ports().includes(port)) return false;
    const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
    return addresses.has(plain) || classifyAddress(address) === 'loopback';
  };
}
