import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { parseSpan } from '../../values/duration.ts';
import { hours, type NumberRange, spansOfDay, weekdays } from '../../facts/number-range.ts';
import { hourOfLocal, modulo, weekdayOfLocal } from '../../values/local-time.ts';
import { dateOf, dayOfYear, parseTimestamp } from '../../values/timestamp.ts';
import { isPlaceZone, isZoneName, offsetMsAt, zoneMeant, zoneMistake } from '../../zones/zones.ts';
import { definer, type FunctionDefinition } from './definition.ts';

const define = definer('time');

type Reading = (localMs: number) => number;

const ofMonths: NumberRange = { min: 0, max: 11, text: '0 (January) to 11' };

/** Fields of a clock and a calendar, by CEL's names. */
const clocks: readonly (readonly [name: string, example: number, doc: string, read: Reading, range?: NumberRange])[] = [
  ['getFullYear', 2026, 'The year', (ms) => dateOf(Math.floor(ms / dayMs)).year],
  ['getMonth', 11, 'The month', (ms) => dateOf(Math.floor(ms / dayMs)).month - 1, ofMonths],
  ['getDate', 24, 'The day of the month', (ms) => dateOf(Math.floor(ms / dayMs)).day, upTo(1, 31)],
  ['getDayOfMonth', 23, 'The day of the month', (ms) => dateOf(Math.floor(ms / dayMs)).day - 1, upTo(0, 30)],
  ['getDayOfYear', 364, 'The day of the year', (ms) => dayOfYear(Math.floor(ms / dayMs)), upTo(0, 365)],
  ['getDayOfWeek', 5, 'The day of the week', weekdayOfLocal, weekdays],
  ['getHours', 3, 'The hour of the day', hourOfLocal, hours],
  ['getMinutes', 0, 'The minute of the hour', (ms) => Math.floor(modulo(ms, hourMs) / minuteMs), upTo(0, 59)],
  ['getSeconds', 0, 'The second of the minute', (ms) => Math.floor(modulo(ms, minuteMs) / secondMs), upTo(0, 59)],
  ['getMilliseconds', 0, 'The millisecond of the second', (ms) => modulo(ms, secondMs), upTo(0, 999)],
];

function upTo(min: number, max: number): NumberRange {
  return { min, max, text: `${min} to ${max}` };
}

function clock([name, value, what, read, range]: (typeof clocks)[number]): readonly FunctionDefinition[] {
  const doc = range === undefined ? what : `${what}, ${range.text}`;
  return [
    define(`timestamp.${name}(): int`, {
      doc: `${doc}, in UTC.`,
      example: `event.at.${name}() == ${value}`,
      cost: 5,
      apply: read,
      ...ranged(range),
    }),
    define(`timestamp.${name}(zone: string): int`, {
      doc: `${doc}, in a time zone: an IANA name, or an offset such as \`-06:00\`. Missing for any other text.`,
      example: `event.at.${name}("America/Mexico_City") == ${value}`,
      cost: 15,
      apply: (atMs: number, zone: string) => inZone(atMs, zone, read),
      ...ranged(range),
      prepare: (zone) => {
        const mistake = zoneMistake(zone);
        if (mistake !== undefined) return { wrong: mistake.message, suggestion: mistake.suggestion };
        const warning =
          isZoneName(zone) && !isPlaceZone(zone)
            ? {
                message: `"${zone}" says no place: its clock may not be the one that is meant`,
                suggestion: zoneMeant(zone),
              }
            : undefined;
        const prepared = { apply: (atMs: number) => inZone(atMs, zone, read), cost: 15 };
        return warning === undefined ? prepared : { ...prepared, warning };
      },
    }),
  ];
}

function ranged(range: NumberRange | undefined): { readonly range?: NumberRange } {
  return range === undefined ? {} : { range };
}

function inZone(atMs: number, zone: string, read: Reading): number | undefined {
  const offsetMs = offsetMsAt(zone, atMs);
  return offsetMs === undefined ? undefined : read(atMs + offsetMs);
}

/** The same in the zone of the workspace, under the names that people look for. */
function local(signature: string, doc: string, [example, read]: readonly [string, Reading]): FunctionDefinition {
  return {
    ...define(signature, {
      doc: `${doc}, in the workspace's time zone.`,
      example,
      cost: 15,
      apply: (atMs: number, zone: string) => inZone(atMs, zone, read),
    }),
    implicit: 'workspace.timezone',
  };
}

function whole(name: string, doc: string, read: Reading): FunctionDefinition {
  return define(`duration.${name}(): int`, {
    doc,
    example: `session.age.${name}() > 5`,
    apply: (ms: number) => Math.trunc(read(ms)) + 0,
  });
}

/** Functions of instants and spans. */
export const times: readonly FunctionDefinition[] = [
  define('duration(string): duration', {
    doc: 'The span in the text: numbers with units (`d`, `h`, `m`, `s`, `ms`), also `-1.5h`; missing if there is none. `15m` alone means the same as `duration("15m")`.',
    example: 'duration("15m") == 15m',
    cost: 10,
    apply: parseSpan,
    prepare: (literal) => {
      const ms = parseSpan(literal);
      return ms === undefined
        ? { wrong: `"${literal}" is not a duration`, suggestion: 'units in order, such as 15m, 1h30m or 7d' }
        : { apply: () => ms, cost: 1 };
    },
  }),
  define('timestamp(string): timestamp', {
    doc: 'The instant in the text, in RFC 3339 with a zone, to the millisecond; missing if there is none.',
    example: 'event.at >= timestamp("2026-12-24T00:00:00-06:00")',
    cost: 30,
    apply: parseTimestamp,
    prepare: (literal) => {
      const at = parseTimestamp(literal);
      return at === undefined
        ? { wrong: `"${literal}" is not an instant`, suggestion: 'such as 2026-01-31T00:00:00Z' }
        : { apply: () => at, cost: 1 };
    },
  }),
  {
    ...local('hour(timestamp): int', `The hour of the day, ${hours.text}`, ['hour(event.at) >= 22', hourOfLocal]),
    range: hours,
  },
  {
    ...local('weekday(timestamp): int', `The day of the week, ${weekdays.text}`, [
      'weekday(event.at) in [0, 6]',
      weekdayOfLocal,
    ]),
    range: weekdays,
  },
  {
    ...local('timeOfDay(timestamp): duration', 'Time since midnight', [
      'timeOfDay(event.at) < 5h30m',
      (ms) => modulo(ms, dayMs),
    ]),
    range: spansOfDay,
  },
  ...clocks.flatMap((row) => clock(row)),
  whole('getHours', 'The number of whole hours in the span.', (ms) => ms / hourMs),
  whole('getMinutes', 'The number of whole minutes in the span.', (ms) => ms / minuteMs),
  whole('getSeconds', 'The number of whole seconds in the span.', (ms) => ms / secondMs),
  whole('getMilliseconds', 'The milliseconds of the span beyond its whole seconds.', (ms) => ms % secondMs),
];
