import { parseIpAddress, printIpNetwork } from '@ringfence/contract';

/**
 * The unit that counts as one sender: a single IPv4 address, or the /64 of an IPv6 address, because a host with one
 * address of a /64 has all 2^64. Other texts are returned unchanged.
 */
export function clientNetworkOf(text: string): string {
  const address = parseIpAddress(text.split('%', 1)[0]!);
  return address?.version === 6 ? printIpNetwork({ address, prefixLength: 64 }) : text;
}
