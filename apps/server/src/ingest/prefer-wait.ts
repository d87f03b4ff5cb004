import { waitSecondsMax } from '@ringfence/contract';

/** Longer than any legitimate list of preferences. Bounds the search for quoted strings, which can be quadratic. */
const headerLengthMax = 1_024;
const quotedString = /"(?:[^"\\]|\\.)*"/g;
/** A `wait` in a list of preferences; parameters may follow. */
const waitPreference = /(?:^|,)[\t ]*wait[\t ]*=[\t ]*(\d+)[\t ]*(?=[,;]|$)/i;

/**
 * How many seconds a request is willing to wait for its decision, from its `Prefer` header: at most `waitSecondsMax`.
 * The first `wait` with a whole number counts; `undefined` without one.
 *
 * Source: RFC 7240, 2 and 4.3
 */
export function preferredWaitSeconds(header: string | readonly string[] | undefined): number | undefined {
  const text = [header ?? ''].flat().join(',');
  if (text.length > headerLengthMax) return undefined;
  const seconds = waitPreference.exec(text.replaceAll(quotedString, '""'))?.[1];
  return seconds === undefined ? undefined : Math.min(Number(seconds), waitSecondsMax);
}
