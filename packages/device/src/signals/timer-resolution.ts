import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

export const about: About = {
  what: 'The smallest step of the clock for measurements, in microseconds.',
  purpose: 'Hardened browsers make it coarse; `unsupported` when it did not move at all.',
  stability: 'browser',
  schema: { type: 'integer', minimum: 0 },
  source: 'https://www.w3.org/TR/hr-time-3/#clock-resolution',
};

/** Looks at the clock: a few milliseconds at the most, which a hardened browser does not even show. */
const looks = 4_000;

export function timerResolutionUs(): Signal<number> {
  let last = performance.now();
  let step = Infinity;
  for (let look = 0; look < looks; look++) {
    const now = performance.now();
    if (now > last) step = Math.min(step, now - last);
    last = now;
  }
  return Number.isFinite(step) ? { value: Math.round(step * 1_000) } : unsupported;
}
