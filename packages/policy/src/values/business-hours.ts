import { dayMs } from '@ringfence/contract';
import { offsetMsAt } from '../zones/zones.ts';
import { weekdayOfLocal } from './local-time.ts';

/** When people work, by the clocks of the workspace's time zone. */
export interface BusinessHours {
  /** 0 (Sunday) to 6; at least one. */
  readonly days: ReadonlySet<number>;
  /** Times of the day, ms; `fromMs` is before `toMs`. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Days since 1970. */
  readonly holidays: ReadonlySet<number>;
}

/** Days that are looked at: longer than any policy's holidays in a row. */
const daysMax = 400;

/**
 * The instant at which this much business time has passed. Without any business day in more than a year, the span counts
 * as it is.
 *
 * @param zone IANA name of the time zone, or an offset
 */
export function afterBusinessTime(
  atMs: number,
  spanMs: number,
  { hours, zone }: { readonly hours: BusinessHours; readonly zone: string },
): number {
  const today = Math.floor((atMs + offsetAt(zone, atMs)) / dayMs);
  let leftMs = spanMs;
  for (let day = today; day < today + daysMax; day++) {
    if (!hours.days.has(weekdayOfLocal(day * dayMs)) || hours.holidays.has(day)) continue;
    const beginMs = Math.max(atMs, instantOf(day * dayMs + hours.fromMs, zone));
    const openMs = Math.max(0, instantOf(day * dayMs + hours.toMs, zone) - beginMs);
    if (leftMs <= openMs) return beginMs + leftMs;
    leftMs -= openMs;
  }
  return atMs + spanMs;
}

function offsetAt(zone: string, atMs: number): number {
  return offsetMsAt(zone, atMs) ?? 0;
}

/** The instant of a local time. A time that clocks skip is taken as the one an hour later. */
function instantOf(localMs: number, zone: string): number {
  const near = localMs - offsetAt(zone, localMs);
  return localMs - offsetAt(zone, near);
}
