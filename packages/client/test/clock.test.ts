import { expect, it } from 'vitest';
import { processClock } from '../src/clock.ts';

/** Node runs a timer of 2^31 ms or more after 1 ms, and prints a warning that does not identify it. */
it.each([Infinity, 2 ** 31, Number.MAX_SAFE_INTEGER])('a wait of %d ms is a long one', async (delayMs) => {
  let isOver = false;
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warned);
  const cancel = processClock.schedule(delayMs, false, () => (isOver = true));
  // Due later than the 1 ms timer that was created before it.
  await new Promise((resolve) => setTimeout(resolve, 5));
  cancel();
  process.off('warning', warned);
  expect([isOver, warnings]).toEqual([false, []]);
});
