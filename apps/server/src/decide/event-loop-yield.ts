import { setImmediate as turn } from 'node:timers/promises';

/** However many records a batch has, the event loop turns after so long: nothing else waits for more than this. */
const everyMs = 5;

/** Lets the event loop turn within a long piece of work. */
export class Breath {
  #sinceMs = performance.now();

  isDue(): boolean {
    return performance.now() - this.#sinceMs >= everyMs;
  }

  async take(): Promise<void> {
    await turn();
    this.#sinceMs = performance.now();
  }
}
