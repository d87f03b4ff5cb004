import { dayMs } from '@ringfence/contract';

/** Actions may be sent, and sessions may last, for up to 7 days: nothing that is still referred to is removed. */
const daysMin = 7;
const daysMax = 36_500;

/** A year plus some weeks, to compare a month with the same month a year ago. PCI DSS 10.5.1 requires 12 months. */
export const retentionDefault = '400d';

export const retentionExpected = `a number of days from ${daysMin}d to ${daysMax}d, or forever`;

/** Parses a retention period such as `400d` into milliseconds; `Infinity` for `forever`, `undefined` if invalid. */
export function retentionMs(written: string): number | undefined {
  if (written === 'forever') return Infinity;
  const days = /^[1-9]\d{0,5}d$/.test(written) ? Number(written.slice(0, -1)) : 0;
  return days < daysMin || days > daysMax ? undefined : days * dayMs;
}
