import { networkInterfaces } from 'node:os';
import { parseIpAddress, printIpAddress } from '@ringfence/contract';
import { classifyAddress } from '@ringfence/delivery';

/**
 * Returns a test of whether an address and port are one of this service's own listeners.
 *
 * @param ports called every time: listeners may be bound after the dispatcher has started
 */
export function ownListeners(ports: () => readonly number[]): (address: string, port: number) => boolean {
  const addresses = new Set(
    Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => canonical(address))),
  );
  return (address, port) => {
    if (!ports().includes(port)) return false;
    return addresses.has(canonical(address)) || classifyAddress(address) === 'loopback';
  };
}

function canonical(text: string): string {
  const address = parseIpAddress(text);
  return address === undefined ? text : printIpAddress(address);
}
