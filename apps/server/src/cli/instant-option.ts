import { parseIsoDate } from '@ringfence/contract';
import { UsageError } from './cli-io.ts';

/** The instant that an option names: a date alone means midnight UTC; a time needs a zone. @throws UsageError */
export function instantOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const date = parseIsoDate(text);
  const isWhole = typeof date !== 'string' && (date.offsetMs !== undefined || !/[t ]/i.test(text));
  if (isWhole) return date.localMs - (date.offsetMs ?? 0);
  throw new UsageError(
    `${option}: expected a date, or a time with its zone like 2026-11-21T10:15:30Z, found "${text}"`,
  );
}
