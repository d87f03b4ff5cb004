import { retryDelayMs, type RetryBounds } from './retry-delay.ts';

export interface BrakeOptions extends RetryBounds {
  /** Consecutive failures that engage the brake. */
  readonly failures: number;
}

/**
 * A circuit breaker that prevents a storm of retries during an outage.
 *
 *     flowing -- consecutive failures, or Retry-After --> braked: nothing until `untilMs`, then one probe at a time
 *        ^                                                 |  ^
 *        '---------------- a success ----------------------'  '-- the probe fails: a longer wait
 *
 * Pure arithmetic: time and jitter are arguments. A failure reported before `untilMs` belongs to an attempt from before
 * the brake was engaged, and does not lengthen the wait.
 */
export class Brake {
  readonly #options: BrakeOptions;
  #failuresInRow = 0;
  #waits = 0;
  #untilMs: number | undefined;

  constructor(options: BrakeOptions) {
    this.#options = options;
  }

  get isSet(): boolean {
    return this.#untilMs !== undefined;
  }

  /** When the next probe may be sent; `undefined` while flowing. */
  get untilMs(): number | undefined {
    return this.#untilMs;
  }

  /** The number of concurrent requests allowed at `nowMs`. */
  parallel(nowMs: number, parallelMax: number): number {
    if (this.#untilMs === undefined) return parallelMax;
    return nowMs < this.#untilMs ? 0 : 1;
  }

  succeeded(): void {
    this.#failuresInRow = 0;
    this.#waits = 0;
    this.#untilMs = undefined;
  }

  /** @param retryAfterMs the wait requested by the service; engages the brake immediately */
  failed(nowMs: number, jitter: number, retryAfterMs: number | undefined): void {
    this.#failuresInRow += 1;
    if (retryAfterMs !== undefined) {
      this.#untilMs = Math.max(this.#untilMs ?? 0, nowMs + retryAfterMs);
      return;
    }
    if (this.#failuresInRow < this.#options.failures) return;
    if (this.#untilMs !== undefined && nowMs < this.#untilMs) return;
    this.#waits += 1;
    this.#untilMs = nowMs + retryDelayMs(this.#options, this.#waits, jitter);
  }
}
