import { monitorEventLoopDelay } from 'node:perf_hooks';

/** A timer of this thread fires this often; a turn of the loop that takes longer delays it. */
const everyMs = 10;

export interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** How long this thread's event loop was blocked since the last reading, by the clock: by itself or by the machine. */
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

/**
 * How long this thread's event loop was blocked by its own work: of the delay of a timer, what the thread computed. The
 * rest of a delay is waiting for a processor, which a thread cannot shorten.
 */
export class LoopTurns {
  readonly #timer: NodeJS.Timeout;
  #firedMs = performance.now();
  #processorMs = threadProcessorMs();
  #longestMs = 0;

  constructor() {
    this.#timer = setInterval(() => this.#fired(), everyMs);
  }

  /** @returns processor time of the longest turn since the last reading */
  read(): number {
    const longestMs = this.#longestMs;
    this.#longestMs = 0;
    return longestMs;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #fired(): void {
    const nowMs = performance.now();
    const processorMs = threadProcessorMs();
    const delayMs = nowMs - this.#firedMs - everyMs;
    this.#longestMs = Math.max(this.#longestMs, Math.min(delayMs, processorMs - this.#processorMs));
    this.#firedMs = nowMs;
    this.#processorMs = processorMs;
  }
}

function threadProcessorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
