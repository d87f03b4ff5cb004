import { dayMs } from '@ringfence/contract';

/** Actions may be sent for 7 days, and sessions live as long: nothing is removed that something still refers to. */
const daysMin = 7;
const daysMax = 36_500;

/** A year, and the weeks in which people look at the same month of the year before. PCI DSS 10.5.1 asks for 12 months. */
export const keptByDefault = '400d';

export const keptExpected = `a number of days from ${daysMin}d to ${daysMax}d, or forever`;

/** Milliseconds that something is kept, infinite for `forever`; `undefined` for what is not written so: `400d`. */
export function keptMs(written: string): number | undefined {
  if (written === 'forever') return Infinity;
  const days = /^[1-9]\d{0,5}d$/.test(written) ? Number(written.slice(0, -1)) : 0;
  return days < daysMin || days > daysMax ? undefined : days * dayMs;
}
