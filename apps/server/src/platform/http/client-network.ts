import { isIPv6 } from 'node:net';

/**
 * The unit that counts as one sender: a single IPv4 address, or the /64 of an IPv6 address, because whoever has one
 * address of a /64 has all 2^64. Other texts are returned unchanged.
 */
export function clientNetworkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  return groupsOf(address).slice(0, 4).join(':');
}

function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = address.split('%', 1)[0]!.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  if (tail === undefined) return before;
  const after = tail === '' ? [] : tail.split(':');
  return [...before, ...Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0'), ...after];
}
