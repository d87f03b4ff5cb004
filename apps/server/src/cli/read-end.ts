import { dayMs, hourMs, minuteMs, parseIsoDate } from '@ringfence/contract';
import { UsageError } from './cli-io.ts';

const unitsMs: Readonly<Record<string, number>> = { m: minuteMs, h: hourMs, d: dayMs };

/** Reads `7d` (from now) or an instant with a zone. @throws UsageError whose message begins with `place` */
export function readEnd(text: string, nowMs: number, place = ''): number {
  const span = /^(\d{1,6})([mhd])$/.exec(text);
  if (span !== null) return nowMs + Number(span[1]) * (unitsMs[span[2] ?? ''] ?? 0);
  const date = parseIsoDate(text);
  if (typeof date !== 'string' && date.offsetMs !== undefined) return date.localMs - date.offsetMs;
  const expected = '7d, 12h, or an instant with its zone, 2027-02-01T00:00:00Z';
  throw new UsageError(`${place}"${text}" is not a valid end: expected ${expected}.`);
}
