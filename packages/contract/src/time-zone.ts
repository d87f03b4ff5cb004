import { assert } from './assert.ts';
import type { IsoDate } from './iso-date.ts';
import { dayMs, type EpochMs, minuteMs } from './time.ts';

/** An IANA time zone. */
export interface TimeZone {
  readonly name: string;
  /** Milliseconds east of UTC at an instant. */
  offsetAt(atMs: EpochMs): number;
  /**
   * The instant at which clocks in the zone show `localMs` (see `IsoDate`). A time that occurs twice (clocks go back)
   * is the first one. A time that never occurs (clocks go forward) uses the offset before the change, so 02:30 in a
   * night that skips from 02:00 to 03:00 is 03:30.
   */
  instantOf(localMs: number): EpochMs;
}

/** Offsets have been constant within a minute since 1972. The cache keeps this many minutes and is then cleared. */
const minutesMax = 4_096;

/** @returns `undefined` for a name that the runtime's time zone database does not contain */
export function timeZone(name: string): TimeZone | undefined {
  let formatter: Intl.DateTimeFormat;
  try {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
  const offsetAt = (atMs: EpochMs): number => offsetIn(formatter.format(atMs));
  /** Offsets by minute of local time. Intl takes microseconds, and most dates of one moment share their minute. */
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

/** The instant of a date-time; `zone` is used only when the text contains no zone. */
export function instantOf(date: IsoDate, zone: TimeZone): EpochMs {
  return date.offsetMs === undefined ? zone.instantOf(date.localMs) : ((date.localMs - date.offsetMs) as EpochMs);
}

/** A day before and a day after are certainly on either side of a change of the clocks near `localMs`. */
function localOffset(localMs: number, offsetAt: (atMs: EpochMs) => number): number {
  const before = offsetAt((localMs - dayMs) as EpochMs);
  const after = offsetAt((localMs + dayMs) as EpochMs);
  if (before === after || offsetAt((localMs - before) as EpochMs) === before) return before;
  return offsetAt((localMs - after) as EpochMs) === after ? after : before;
}

/** Parses the end of `11/21/2026, GMT-06:00`; UTC is a bare `GMT`. */
function offsetIn(formatted: string): number {
  const found = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(formatted);
  assert(found !== null, 'a long offset contains GMT');
  const [, sign, hours = '0', minutes = '0'] = found;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
}
