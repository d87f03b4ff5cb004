import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';

const unitsMs: Readonly<Record<string, number>> = { d: dayMs, h: hourMs, m: minuteMs, s: secondMs, ms: 1 };

/** A duration as people write it: whole numbers with units, largest first, for example `15m`, `1h30m`, `7d`, `0s`. */
const grammar = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;

/** Milliseconds, or `undefined` if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = grammar.exec(text);
  if (match === null || text === '') return undefined;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0', milliseconds = '0'] = match;
  return (
    Number(days) * dayMs +
    Number(hours) * hourMs +
    Number(minutes) * minuteMs +
    Number(seconds) * secondMs +
    Number(milliseconds)
  );
}

/** The shortest text that `parseDuration` reads as the same span: `1h30m`, `0s`. A negative span begins with `-`. */
export function formatDuration(ms: number): string {
  if (ms === 0) return '0s';
  let rest = Math.abs(ms);
  let text = ms < 0 ? '-' : '';
  for (const [unit, sizeMs] of Object.entries(unitsMs)) {
    const count = Math.floor(rest / sizeMs);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * sizeMs;
  }
  return text;
}

const spoken = /^(\d{1,6})\s*(ms|w(?:eeks?)?|d(?:ays?)?|h(?:ours?|rs?)?|m(?:in(?:ute)?s?)?|s(?:ec(?:ond)?s?)?)$/;

/** Converts `1w`, `90 minutes` or `05:30` to our units; `undefined` if the meaning is not clear. */
export function durationMeant(text: string): string | undefined {
  const clock = /^(\d{1,2}):([0-5]\d)$/.exec(text);
  if (clock !== null) return formatDuration(Number(clock[1]) * hourMs + Number(clock[2]) * minuteMs);
  const [, count, unit = ''] = spoken.exec(text) ?? [];
  const sizeMs = unit.startsWith('w') ? 7 * dayMs : unitsMs[unit === 'ms' ? unit : unit.charAt(0)];
  return sizeMs === undefined ? undefined : formatDuration(Number(count) * sizeMs);
}

const spanGrammar = /^([+-]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:d|h|ms|m|s|us|µs|ns))+)$/;
const spanParts = /(\d+(?:\.\d*)?|\.\d+)(d|h|ms|m|s|us|µs|ns)/g;
const finerUnitsMs: Readonly<Record<string, number>> = { ...unitsMs, us: 1e-3, µs: 1e-3, ns: 1e-6 };
/** Ten thousand years: the longest duration of CEL. */
export const spanMsMax = 315_576_000_000_000;
const spanLengthMax = 64;

/** A span in CEL's own form: `1.5h`, `-90s`, `1h30m`, in any order. Fractions of a millisecond are dropped. */
export function parseSpan(text: string): number | undefined {
  if (text === '0') return 0;
  const match = text.length > spanLengthMax ? null : spanGrammar.exec(text);
  if (match === null) return undefined;
  const [, sign = '', parts = ''] = match;
  let ms = 0;
  // To the nanosecond, so that 1.005s is 1005 ms.
  for (const [, count = '', unit = ''] of parts.matchAll(spanParts))
    ms += Math.round(Number(count) * (finerUnitsMs[unit] ?? 0) * 1e6) / 1e6;
  if (ms > spanMsMax) return undefined;
  return Math.trunc(sign === '-' ? -ms : ms) + 0;
}
