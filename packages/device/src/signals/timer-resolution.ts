import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

export const about: About = {
  what: 'The smallest step of the clock for measurements, in microseconds.',
  purpose: 'Hardened browsers make it coarse; `unsupported` when it did not move at all.',
  stability: 'browser',
  schema: { type: 'integer', minimum: 0 },
  source: 'https://www.w3.org/TR/hr-time-3/#clock-resolution',
};

/** Looks at the clock: some milliseconds where it stands still, and far fewer where it moves. */
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
