import { tokenReachMs, tokensMax } from '../limits.ts';

/** Log times of tokens, by nonce. */
export type Tokens = ReadonlyMap<string, number>;

/**
 * Device tokens that came with a login, kept while they could be replayed. Two generations replace a search for the
 * oldest: when the present one is full, or as old as a token may be, it replaces the one before.
 */
export class TokenMemory {
  #present = new Map<string, number>();
  #before = new Map<string, number>();
  /** Log time at which the present generation began. */
  #sinceMs = 0;

  /** Whether a token with this nonce was seen before. */
  has(nonce: string, nowMs: number): boolean {
    const seenMs = this.#present.get(nonce) ?? this.#before.get(nonce);
    return seenMs !== undefined && nowMs - seenMs < tokenReachMs;
  }

  /** Records a token. Log time never falls. */
  note(nonce: string, nowMs: number): void {
    if (this.#present.size >= tokensMax / 2 || nowMs - this.#sinceMs >= tokenReachMs) {
      this.#before = this.#present;
      this.#present = new Map();
      this.#sinceMs = nowMs;
    }
    this.#present.set(nonce, nowMs);
  }

  get halves(): { readonly sinceMs: number; readonly before: Tokens; readonly present: Tokens } {
    return { sinceMs: this.#sinceMs, before: this.#before, present: this.#present };
  }

  /** Restores both generations from a snapshot. */
  restore(sinceMs: number, before: Map<string, number>, present: Map<string, number>): void {
    this.#sinceMs = sinceMs;
    this.#before = before;
    this.#present = present;
  }
}
