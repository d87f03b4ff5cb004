export interface RateLimit {
  readonly perSecond: number;
  /** Requests that may arrive together. */
  readonly burst: number;
}

interface Bucket {
  tokens: number;
  filledAtMs: number;
}

/** One token bucket per license key: it refills steadily up to the burst, and every request takes one token. */
export class TokenBuckets {
  /** Bounded by the number of license keys: only authenticated requests get here. */
  readonly #buckets = new Map<string, Bucket>();

  /** @returns `undefined` if the request may pass, else the whole seconds until one may */
  take(keyId: string, limit: RateLimit, nowMs: number): number | undefined {
    const bucket = this.#buckets.get(keyId);
    if (bucket === undefined) {
      this.#buckets.set(keyId, { tokens: limit.burst - 1, filledAtMs: nowMs });
      return undefined;
    }
    // A clock that was set back adds no tokens.
    const elapsedMs = Math.max(0, nowMs - bucket.filledAtMs);
    bucket.tokens = Math.min(limit.burst, bucket.tokens + (elapsedMs / 1000) * limit.perSecond);
    bucket.filledAtMs = nowMs;
    if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) / limit.perSecond);
    bucket.tokens -= 1;
    return undefined;
  }
}
