import { isIPv6 } from 'node:net';

/**
 * What is counted as one sender: an IPv4 address, and of IPv6 the /64, since whoever has one address of it has all
 * 2^64. Anything else is itself.
 */
export function networkOf(address: string): string {
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
