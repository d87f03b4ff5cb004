import { setTimeout as sleep } from 'node:timers/promises';
import { patienceMs } from './patience.ts';

const lookEveryMs = 100;
const looksMax = patienceMs / lookEveryMs;

/**
 * Waits until the condition holds.
 *
 * @throws Error with the sentence after minutes (`patienceMs`), AbortError when aborted
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  sentence: string,
  signal: AbortSignal,
): Promise<void> {
  for (let look = 1; !(await holds()); look++) {
    if (look === looksMax) throw new Error(`${sentence} within ${patienceMs / 1_000} s`);
    await sleep(lookEveryMs, undefined, { signal });
  }
}
