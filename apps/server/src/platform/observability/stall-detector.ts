/** How often the process looks at the clock; what is longer than this and `stallMsMin` between two looks is a stall. */
const lookMs = 1_000;
/**
 * Callers wait for 2 s, the database ends transactions that wait for us after 5 s, and others take partitions over after 7 s: what
 * fails by a stall says that the database gave up, and looks like a fault of the database.
 */
const stallMsMin = 2_000;

export interface StallWatchOptions {
  /** Milliseconds of a clock that never jumps. */
  readonly monotonicMs: () => number;
  readonly onStall: (stalledMs: number) => void;
}

/** Tells that this process did not run for a while: stopped, or on a machine that has no time for it. */
export class StallWatch {
  readonly #options: StallWatchOptions;
  #lookedAtMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StallWatchOptions) {
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
    // To the second: lines of a machine that is always short of time are counted together.
    if (stalledMs >= stallMsMin) this.#options.onStall(Math.round(stalledMs / 1_000) * 1_000);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
