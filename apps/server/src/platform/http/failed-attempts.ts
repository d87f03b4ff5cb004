import { LRUCache } from 'lru-cache';
import { clientNetworkOf } from './client-network.ts';

export interface FailedAttemptLimits {
  /** Failures that one address may make in a row. */
  readonly burst: number;
  /** Interval at which one more is allowed after that. */
  readonly everyMs: number;
}

/** Remembered addresses: 100 bytes each. The least recently used one is evicted. */
const addressesMax = 10_000;

interface Bucket {
  readonly left: number;
  atMs: number;
  /** Whether the address was reported as blocked since that failure. */
  isTold: boolean;
}

/** Counts failures per address in a token bucket: every failure takes a token, and time refills it. */
export class FailedAttempts {
  readonly #limits: FailedAttemptLimits;
  readonly #buckets = new LRUCache<string, Bucket>({ max: addressesMax });

  constructor(limits: FailedAttemptLimits) {
    this.#limits = limits;
  }

  /** @returns `undefined` if this address may fail again, else the whole seconds until it may */
  waitSeconds(address: string, nowMs: number): number | undefined {
    const left = this.#left(clientNetworkOf(address), nowMs);
    return left >= 1 ? undefined : Math.ceil(((1 - left) * this.#limits.everyMs) / 1_000);
  }

  /** Records a failure. @returns whether it was the last one that this address had left */
  note(address: string, nowMs: number): boolean {
    const network = clientNetworkOf(address);
    const left = this.#left(network, nowMs) - 1;
    this.#buckets.set(network, { left, atMs: nowMs, isTold: false });
    return left < 1;
  }

  /** For an address that has to wait. @returns whether this is its first call since the last failure */
  tell(address: string): boolean {
    const bucket = this.#buckets.get(clientNetworkOf(address));
    if (bucket === undefined || bucket.isTold) return false;
    bucket.isTold = true;
    return true;
  }

  #left(network: string, nowMs: number): number {
    const { burst, everyMs } = this.#limits;
    const bucket = this.#buckets.get(network);
    if (bucket === undefined) return burst;
    // A clock that was set back adds nothing; refilling continues from the new time.
    bucket.atMs = Math.min(bucket.atMs, nowMs);
    return Math.min(burst, bucket.left + (nowMs - bucket.atMs) / everyMs);
  }
}
