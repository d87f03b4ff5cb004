import { setTimeout as sleep } from 'node:timers/promises';

/** Poll interval: short compared with every time that is measured with it. */
const lookEveryMs = 20;

/**
 * Polls until `look` returns a value, and returns it.
 *
 * @param what completes the sentence "did not happen in time: …"
 * @throws Error after `timeoutMs`; an error of `look` counts as "not yet", and the last one is the cause
 */
export async function eventually<Value>(
  what: string,
  timeoutMs: number,
  look: () => Promise<Value | undefined> | Value | undefined,
): Promise<Value> {
  const untilMs = performance.now() + timeoutMs;
  let cause: unknown;
  do {
    try {
      const seen = await look();
      if (seen !== undefined) return seen;
    } catch (error) {
      cause = error;
    }
    await sleep(lookEveryMs);
  } while (performance.now() < untilMs);
  throw new Error(`did not happen within ${timeoutMs} ms: ${what}`, { cause });
}
