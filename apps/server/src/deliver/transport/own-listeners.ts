import { networkInterfaces } from 'node:os';
import { classifyAddress } from '@ringfence/delivery';

/**
 * Tells whether an address and port are one of this service's own listeners.
 *
 * @param ports asked at every call: listeners may be bound after the dispatcher has begun
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
