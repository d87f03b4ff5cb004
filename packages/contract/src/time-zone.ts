import { assert } from './assert.ts';
import type { IsoDate } from './iso-date.ts';
import { dayMs, type EpochMs, minuteMs } from './time.ts';

/** An IANA time zone. */
export interface TimeZone {
  readonly name: string;
  /** Milliseconds east of UTC at an instant. */
  offsetAt(atMs: EpochMs): number;
  /**
   * The instant at which the clocks of the zone show `localMs` (see `IsoDate`). Shown twice, when clocks go back: the
   * first time. Never shown, when they go forward: read by the clock as it was before, so 02:30 of a night that
   * jumps from 02:00 to 03:00 is 03:30.
   */
  instantOf(localMs: number): EpochMs;
}

/** Offsets are constant within a minute since 1972. So many minutes are remembered, then forgotten together. */
const minutesMax = 4_096;

/** @returns `undefined` for a name that the time zone database of the runtime does not know */
export function timeZone(name: string): TimeZone | undefined {
  let formatter: Intl.DateTimeFormat;
  try {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
  const offsetAt = (atMs: EpochMs): number => offsetIn(formatter.format(atMs));
  /** Offsets by minute of the local clock. Intl takes microseconds; most dates of a moment share their minute. */
  const offsets = new Map<number, number>();
  return {
    name,
    offsetAt,
    instantOf(localMs) {
      const minute = Math.floor(localMs / minuteMs);
      let offset = offsets.get(minute);
      if (offset === undefined) {
        offset = localOffset(localMs, offsetAt);
        if (offsets.size >= minutesMax) offsets.clear();
        offsets.set(minute, offset);
      }
      return (localMs - offset) as EpochMs;
    },
  };
}

/** The instant of a date-time; `zone` counts only when the text named none. */
export function instantOf(date: IsoDate, zone: TimeZone): EpochMs {
  return date.offsetMs === undefined ? zone.instantOf(date.localMs) : ((date.localMs - date.offsetMs) as EpochMs);
}

/** A day to either side is surely before and after any change of the clocks near `localMs`. */
function localOffset(localMs: number, offsetAt: (atMs: EpochMs) => number): number {
  const before = offsetAt((localMs - dayMs) as EpochMs);
  const after = offsetAt((localMs + dayMs) as EpochMs);
  if (before === after || offsetAt((localMs - before) as EpochMs) === before) return before;
  return offsetAt((localMs - after) as EpochMs) === after ? after : before;
}

/** Reads the end of `11/21/2026, GMT-06:00`; UTC is a bare `GMT`. */
function offsetIn(formatted: string): number {
  const found = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(formatted);
  assert(found !== null, 'a long offset says GMT');
  const [, sign, hours = '0', minutes = '0'] = found;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
}
