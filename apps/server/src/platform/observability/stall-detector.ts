/** How often the clock is checked. A gap longer than this plus `stallMsMin` between two checks is a stall. */
const lookMs = 1_000;
/**
 * Callers wait 2 s, the database ends our idle transactions after 5 s, and other processes take over partitions after 7
 * s. Errors after a stall therefore look like faults of the database.
 */
const stallMsMin = 2_000;

export interface StallDetectorOptions {
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs: () => number;
  readonly onStall: (stalledMs: number) => void;
}

/** Detects that this process did not run for a while: suspended, or on an overloaded machine. */
export class StallDetector {
  readonly #options: StallDetectorOptions;
  #lookedAtMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StallDetectorOptions) {
    this.#options = options;
    this.#lookedAtMs = options.monotonicMs();
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), lookMs);
  }

  look(): void {
    const nowMs = this.#options.monotonicMs();
    const stalledMs = nowMs - this.#lookedAtMs - lookMs;
    this.#lookedAtMs = nowMs;
    // Rounded to the second, so that an overloaded machine's repeated lines are counted together.
    if (stalledMs >= stallMsMin) this.#options.onStall(Math.round(stalledMs / 1_000) * 1_000);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
