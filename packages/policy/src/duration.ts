import { dayMs, hourMs, minuteMs, secondMs } from '@ringfence/contract';

const unitsMs: Readonly<Record<string, number>> = { d: dayMs, h: hourMs, m: minuteMs, s: secondMs, ms: 1 };

/** A duration as people write it: whole numbers with units, largest first, for example `15m`, `1h30m`, `7d`, `0s`. */
const grammar = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m(?!s))?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;

/** Milliseconds, or `undefined` when the text is no duration. */
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

/** The shortest text that `parseDuration` reads as the same span: `1h30m`, `0s`. A span below zero begins with `-`. */
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
