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
  /** The second instant at which clocks show `localMs`, if they go back over it; otherwise `undefined`. */
  secondInstantOf(localMs: number): EpochMs | undefined;
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
  const known = new Map<number, LocalOffsets>();
  const offsetsOf = (localMs: number): LocalOffsets => {
    const minute = Math.floor(localMs / minuteMs);
    let offsets = known.get(minute);
    if (offsets === undefined) {
      offsets = localOffsets(localMs, offsetAt);
      if (known.size >= minutesMax) known.clear();
      known.set(minute, offsets);
    }
    return offsets;
  };
  return {
    name,
    offsetAt,
    instantOf: (localMs) => (localMs - offsetsOf(localMs).first) as EpochMs,
    secondInstantOf(localMs) {
      const { second } = offsetsOf(localMs);
      return second === undefined ? undefined : ((localMs - second) as EpochMs);
    },
  };
}

/** Offsets from UTC at a local time. */
interface LocalOffsets {
  readonly first: number;
  /** If clocks show the time twice. */
  readonly second: number | undefined;
}

/** The instant of a date-time; `zone` is used only when the text contains no zone. */
export function instantOf(date: IsoDate, zone: TimeZone): EpochMs {
  return date.offsetMs === undefined ? zone.instantOf(date.localMs) : ((date.localMs - date.offsetMs) as EpochMs);
}

/** A day before and a day after are certainly on either side of a change of the clocks near `localMs`. */
function localOffsets(localMs: number, offsetAt: (atMs: EpochMs) => number): LocalOffsets {
  const before = offsetAt((localMs - dayMs) as EpochMs);
  const after = offsetAt((localMs + dayMs) as EpochMs);
  if (before === after) return { first: before, second: undefined };
  const isBefore = offsetAt((localMs - before) as EpochMs) === before;
  const isAfter = offsetAt((localMs - after) as EpochMs) === after;
  if (isBefore) return { first: before, second: isAfter ? after : undefined };
  return { first: isAfter ? after : before, second: undefined };
}

/** Parses the end of `11/21/2026, GMT-06:00`; UTC is a bare `GMT`. */
function offsetIn(formatted: string): number {
  const found = /GMT(?:([+-])(\d\d):(\d\d))?/.exec(formatted);
  assert(found !== null, 'a long offset contains GMT');
  const [, sign, hours = '0', minutes = '0'] = found;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
}
