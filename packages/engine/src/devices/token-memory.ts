import { tokenReachMs, tokensMax } from '../limits.ts';

/** Log times of tokens, by their nonces. */
export type Tokens = ReadonlyMap<string, number>;

/**
 * Device tokens that came with a login, as long as they could be used again. They lie in two halves, so that nothing is
 * searched to forget the oldest: when a half is full, or as old as a token may be, the one before it goes.
 */
export class TokenMemory {
  #present = new Map<string, number>();
  #before = new Map<string, number>();
  /** Log time at which the present half began. */
  #sinceMs = 0;

  /** Whether a token with this nonce came before. */
  has(nonce: string, nowMs: number): boolean {
    const seenMs = this.#present.get(nonce) ?? this.#before.get(nonce);
    return seenMs !== undefined && nowMs - seenMs < tokenReachMs;
  }

  /** A token came. Log time never falls. */
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

  /** Halves as they were kept. */
  restore(sinceMs: number, before: Map<string, number>, present: Map<string, number>): void {
    this.#sinceMs = sinceMs;
    this.#before = before;
    this.#present = present;
  }
}
