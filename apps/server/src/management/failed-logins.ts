import { isIPv6 } from 'node:net';
import { LRUCache } from 'lru-cache';

/** Wrong tokens that one address may send at once: a person tries a few, a script that was not told of the new one some. */
const burst = 20;
/** After those, one more at each of these. So many guesses of 256 bits never get anywhere. */
const everyMs = 2_000;
/** Addresses that are remembered: 100 bytes each. The one that was not heard of for longest is forgotten. */
const addressesMax = 10_000;

interface Bucket {
  readonly left: number;
  readonly atMs: number;
}

/**
 * How many wrong tokens came from each address: a bucket that every wrong one empties a little and time fills again.
 * An address whose bucket is empty is not listened to at all, so that nobody can try tokens faster than that.
 */
export class FailedLogins {
  readonly #buckets = new LRUCache<string, Bucket>({ max: addressesMax });

  /** @returns `undefined` when this address may try, else the whole seconds until it may */
  waitSeconds(address: string, nowMs: number): number | undefined {
    const left = this.#left(address, nowMs);
    return left >= 1 ? undefined : Math.ceil(((1 - left) * everyMs) / 1_000);
  }

  /** Notes a wrong token. @returns whether it was the last that this address had left */
  note(address: string, nowMs: number): boolean {
    const left = this.#left(address, nowMs) - 1;
    this.#buckets.set(keyOf(address), { left, atMs: nowMs });
    return left < 1;
  }

  #left(address: string, nowMs: number): number {
    const bucket = this.#buckets.get(keyOf(address));
    if (bucket === undefined) return burst;
    // A clock that was set back fills nothing.
    return Math.min(burst, bucket.left + Math.max(0, nowMs - bucket.atMs) / everyMs);
  }
}

/** Whoever has one IPv6 address has the 2^64 of its network. */
function keyOf(address: string): string {
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
