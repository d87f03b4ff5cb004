import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A timer of this thread fires this often; a turn of the loop that takes longer delays it. */
const everyMs = 10;

export interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** How long this thread's event loop was blocked since the last reading. */
export class LoopDelays {
  readonly #delays = monitorEventLoopDelay({ resolution: everyMs });

  constructor() {
    this.#delays.enable();
  }

  /** Node counts the time between two turns of the timer, which is never shorter than its interval. */
  read(): LoopDelay {
    const ms = (ns: number): number => Math.max(0, ns / 1e6 - everyMs);
    const delay = { p99Ms: ms(this.#delays.percentile(99)), maxMs: ms(this.#delays.max) };
    this.#delays.reset();
    return delay;
  }
}
