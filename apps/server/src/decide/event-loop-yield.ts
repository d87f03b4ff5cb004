import { setImmediate as turn } from 'node:timers/promises';

/** However large a batch is, the event loop turns after this time: other work waits no longer than that. */
const everyMs = 5;

/** Yields to the event loop within a long computation. */
export class EventLoopYield {
  #sinceMs = performance.now();

  isDue(): boolean {
    return performance.now() - this.#sinceMs >= everyMs;
  }

  async take(): Promise<void> {
    await turn();
    this.#sinceMs = performance.now();
  }
}
