import { retryDelayMs, type RetryBounds } from './retry-delay.ts';

export interface BrakeOptions extends RetryBounds {
  /** Failures in a row that set the brake. */
  readonly failures: number;
}

/**
 * Keeps an outage from being answered by a storm of requests.
 *
 *     flowing --failures in a row, or Retry-After--> braked: nothing until `untilMs`, then one probe at a time
 *        ^                                              |  ^
 *        '---------------- a success -------------------'  '-- the probe fails: a longer wait
 *
 * Arithmetic only: time and chance are arguments. A failure that comes in before `untilMs` belongs to an attempt
 * older than the brake and makes the wait no longer.
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

  /** When the next probe may go; `undefined` while flowing. */
  get untilMs(): number | undefined {
    return this.#untilMs;
  }

  /** Requests that may be under way at `nowMs`. */
  parallel(nowMs: number, parallelMax: number): number {
    if (this.#untilMs === undefined) return parallelMax;
    return nowMs < this.#untilMs ? 0 : 1;
  }

  succeeded(): void {
    this.#failuresInRow = 0;
    this.#waits = 0;
    this.#untilMs = undefined;
  }

  /** @param retryAfterMs what the service asked for; sets the brake at once */
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
