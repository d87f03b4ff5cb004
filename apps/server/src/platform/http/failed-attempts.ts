import { LRUCache } from 'lru-cache';
import { networkOf } from './client-network.ts';

export interface FailedAttemptLimits {
  /** Failures that one address may make at once. */
  readonly burst: number;
  /** After those, one more at each of these. */
  readonly everyMs: number;
}

/** Addresses that are remembered: 100 bytes each. The one that was not heard of for longest is forgotten. */
const addressesMax = 10_000;

interface Bucket {
  readonly left: number;
  atMs: number;
  /** Whether it was told to wait since that failure. */
  isTold: boolean;
}

/** How often each address failed: a bucket that every failure empties a little and time fills again. */
export class FailedAttempts {
  readonly #limits: FailedAttemptLimits;
  readonly #buckets = new LRUCache<string, Bucket>({ max: addressesMax });

  constructor(limits: FailedAttemptLimits) {
    this.#limits = limits;
  }

  /** @returns `undefined` when this address may fail again, else the whole seconds until it may */
  waitSeconds(address: string, nowMs: number): number | undefined {
    const left = this.#left(networkOf(address), nowMs);
    return left >= 1 ? undefined : Math.ceil(((1 - left) * this.#limits.everyMs) / 1_000);
  }

  /** Notes a failure. @returns whether it was the last that this address had left */
  note(address: string, nowMs: number): boolean {
    const network = networkOf(address);
    const left = this.#left(network, nowMs) - 1;
    this.#buckets.set(network, { left, atMs: nowMs, isTold: false });
    return left < 1;
  }

  /** @returns whether this address, which has to wait, is told so for the first time since it failed last */
  tell(address: string): boolean {
    const bucket = this.#buckets.get(networkOf(address));
    if (bucket === undefined || bucket.isTold) return false;
    bucket.isTold = true;
    return true;
  }

  #left(network: string, nowMs: number): number {
    const { burst, everyMs } = this.#limits;
    const bucket = this.#buckets.get(network);
    if (bucket === undefined) return burst;
    // A clock that was set back fills nothing, and fills on from there.
    bucket.atMs = Math.min(bucket.atMs, nowMs);
    return Math.min(burst, bucket.left + (nowMs - bucket.atMs) / everyMs);
  }
}
