import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 100;
/** 30 s: a busy machine decides and delivers within it. */
const looksMax = 300;

/**
 * Waits until the condition holds.
 *
 * @throws Error with the sentence after 30 s, AbortError when aborted
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  sentence: string,
  signal: AbortSignal,
): Promise<void> {
  for (let look = 1; !(await holds()); look++) {
    if (look === looksMax) throw new Error(`${sentence} within ${(looksMax * lookEveryMs) / 1_000} s`);
    await sleep(lookEveryMs, undefined, { signal });
  }
}
