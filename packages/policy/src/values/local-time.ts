import { dayMs, hourMs } from '@ringfence/contract';
import { offsetMsAt } from '../zones/zones.ts';

/** Never negative. */
export function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

/** The hour, 0 to 23, on local clocks; `localMs` is the local time in milliseconds since 1970. */
export function hourOfLocal(localMs: number): number {
  return Math.floor(modulo(localMs, dayMs) / hourMs);
}

/** The day of the week, 0 (Sunday) to 6. 1970-01-01 was a Thursday, day 4. */
export function weekdayOfLocal(localMs: number): number {
  return modulo(Math.floor(localMs / dayMs) + 4, 7);
}

/** What local clocks show at an instant, in milliseconds since 1970; `undefined` if the text is not a zone. */
export function localTime(atMs: number, zone: string): number | undefined {
  const offsetMs = offsetMsAt(zone, atMs);
  return offsetMs === undefined ? undefined : atMs + offsetMs;
}

/** The hour of an instant in a zone; `undefined` if the text is not a zone. */
export function hourOfDay(atMs: number, zone: string): number | undefined {
  const offsetMs = offsetMsAt(zone, atMs);
  return offsetMs === undefined ? undefined : hourOfLocal(atMs + offsetMs);
}

/** The day of the week of an instant in a zone; `undefined` if the text is not a zone. */
export function weekdayOf(atMs: number, zone: string): number | undefined {
  const offsetMs = offsetMsAt(zone, atMs);
  return offsetMs === undefined ? undefined : weekdayOfLocal(atMs + offsetMs);
}
