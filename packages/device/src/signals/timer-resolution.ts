import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

export const about: About = {
  what: 'The smallest step of the monotonic clock, in microseconds.',
  purpose: 'Hardened browsers make it coarse; `unsupported` if it did not move at all.',
  stability: 'browser',
  schema: { type: 'integer', minimum: 0 },
  source: 'https://www.w3.org/TR/hr-time-3/#clock-resolution',
};

/** Maximum reads of the clock: some milliseconds if it does not move, and far fewer if it does. */
const looksMax = 20_000;
/** One step may be longer, because the browser did something else. */
const steps = 4;

export function timerResolutionUs(): Signal<number> {
  let last = performance.now();
  let smallest = Infinity;
  for (let look = 0, step = 0; look < looksMax && step < steps; look++) {
    const now = performance.now();
    if (now <= last) continue;
    smallest = Math.min(smallest, now - last);
    last = now;
    step++;
  }
  return Number.isFinite(smallest) ? { value: Math.round(smallest * 1_000) } : unsupported;
}
