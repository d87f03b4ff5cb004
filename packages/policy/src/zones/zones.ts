import { hourMs, minuteMs } from '@ringfence/contract';
import { nearest } from '../check/nearest.ts';
import { daysOf } from '../values/timestamp.ts';
import { zoneTableText } from './zone-table.generated.ts';

/*
 * Time zones of the IANA database, from a table in the code: the runtime's zones depend on the machine, and a decision
 * must not. The table begins with 2000; before that, a zone is as it was then. Yearly changes continue to 2100.
 */

interface Zone {
  /** Minutes since 1970 at which the offset changes, in order. */
  readonly changes: readonly number[];
  /** Milliseconds east of UTC, before the first change and after each. */
  readonly offsetsMs: readonly number[];
}

const minutesPerDay = 1_440;
/** The offset of 2000. */
const firstMinute = 10_957 * minutesPerDay;
const lastYear = 2_100;

const lines: ReadonlyMap<string, string> = new Map(
  zoneTableText.split('\n').flatMap((line) => {
    const end = line.indexOf('|');
    return line
      .slice(0, end)
      .split(' ')
      .map((name): [string, string] => [name, line.slice(end + 1)]);
  }),
);

/** Cache of zones that were requested, read from the constant table; there are some 600 in all. */
const zones = new Map<string, Zone>();

/** Whether it is a name of the IANA database: `America/Mexico_City`. */
export function isZoneName(name: string): boolean {
  return lines.has(name);
}

/**
 * Offset of a zone from UTC at an instant, in milliseconds, positive to the east. The zone is an IANA name, or an
 * offset: `-06:00`, `+5:30`, `02:00`.
 *
 * @returns `undefined` for any other text
 */
export function offsetMsAt(zone: string, atMs: number): number | undefined {
  const known = zones.get(zone) ?? readZone(zone);
  if (known === undefined) return fixedOffsetMs(zone);
  return known.offsetsMs[changesUpTo(known.changes, Math.floor(atMs / minuteMs))];
}

/** How many of the changes are in the past. */
function changesUpTo(changes: readonly number[], minute: number): number {
  let [low, high] = [0, changes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((changes[middle] ?? 0) <= minute) low = middle + 1;
    else high = middle;
  }
  return low;
}

function readZone(name: string): Zone | undefined {
  const line = lines.get(name);
  if (line === undefined) return undefined;
  const [offsetTexts = '', singleTexts = '', yearlyTexts = ''] = line.split('|');
  const offsets = offsetTexts.split(' ').map((text) => Number(text) * minuteMs);
  const zone = { changes: [] as number[], offsetsMs: [offsets[0] ?? 0] };
  const add = (minute: number, offset: number): void => {
    zone.changes.push(minute);
    zone.offsetsMs.push(offsets[offset] ?? 0);
  };
  let minute = firstMinute;
  for (const single of words(singleTexts)) {
    const [difference = '', offset = ''] = single.split('.');
    minute += Number.parseInt(difference, 36);
    add(minute, Number(offset));
  }
  const [firstYear, ...yearly] = words(yearlyTexts);
  const rules = yearly.map((text) => text.split('.').map(Number));
  for (let year = Number(firstYear ?? lastYear); year < lastYear; year++) {
    for (const rule of rules) add(minuteOf(year, rule) - (zone.offsetsMs.at(-1) ?? 0) / minuteMs, rule[4] ?? 0);
  }
  zones.set(name, zone);
  return zone;
}

function words(text: string): readonly string[] {
  return text === '' ? [] : text.split(' ');
}

/** The time of a yearly change, by the local clock before it: month, weekday, first possible day, minute of the day. */
function minuteOf(year: number, [month = 1, weekday = 0, day = 1, localMinute = 0]: readonly number[]): number {
  const days = daysOf(year, month, day) ?? 0;
  // 1970-01-01 was a Thursday, day 4.
  const until = (weekday - ((days + 4) % 7) + 7) % 7;
  return (days + until) * minutesPerDay + localMinute;
}

function fixedOffsetMs(text: string): number | undefined {
  const match = /^([+-]?)(0?\d|1[0-4]):([0-5]\d)$/.exec(text);
  if (match === null) return undefined;
  const [, sign, hours = '0', minutes = '0'] = match;
  return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * minuteMs);
}

/** Shorter parts of a name could belong to many. */
const partLengthMin = 4;

/** What is wrong with the name of a zone; `undefined` if it is valid. */
export function zoneMistake(zone: string): { readonly message: string; readonly suggestion: string } | undefined {
  if (isZoneName(zone) || fixedOffsetMs(zone) !== undefined) return undefined;
  return { message: `"${zone}" is not a time zone`, suggestion: zoneMeant(zone) };
}

/**
 * Whether it is a name of the IANA database that says where: `America/Mexico_City`, and `UTC`. The database also has
 * abbreviations, which mean something else to most people: `EST` has no daylight saving time.
 */
export function isPlaceZone(name: string): boolean {
  return isZoneName(name) && (name.includes('/') || name === 'UTC');
}

/** What to write instead of a name that says no place. Never an abbreviation. */
export function zoneMeant(zone: string): string {
  // A name without its region is a likelier meaning than one with a similar spelling.
  const word = zone.replaceAll(' ', '_');
  const isPart = (name: string): boolean => name.startsWith(word) || name.endsWith(`/${word}`);
  const places = [...lines.keys()].filter(isPlaceZone);
  const whole = word.length < partLengthMin ? undefined : places.find(isPart);
  return (
    whole ??
    nearest(zone, places) ??
    'a name with a place, such as "America/Mexico_City", or an offset, such as "-06:00"'
  );
}
