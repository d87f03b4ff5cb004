import { parseIsoDate, Problem } from '@ringfence/contract';
import { Type } from 'typebox';
import { text } from '../../platform/shapes/shape.ts';

const expected =
  'an ISO 8601 date-time with a time zone, for example 2026-01-31T09:30:00Z; a date alone means midnight UTC';

const instantText = (description: string): Type.TOptional<Type.TString> =>
  Type.Optional(
    text({
      maxLength: 64,
      description: `${description} ISO 8601 with a time zone; a date alone means midnight UTC.`,
      expected,
      refine: (given) => (instantOf(given) === undefined ? expected : undefined),
    }),
  );

/** Query members that restrict a list to a time range. `what` is the event that is dated: "Received", "Decided". */
export function timeRange(what: string): Record<'from' | 'to', Type.TOptional<Type.TString>> {
  return { from: instantText(`${what} at or after this.`), to: instantText(`${what} before this.`) };
}

export interface TimeRange {
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** @throws Problem `request.invalid` if it ends before it begins */
export function readTimeRange({ from, to }: { readonly from?: string; readonly to?: string }): TimeRange {
  const fromMs = from === undefined ? undefined : instantOf(from);
  const toMs = to === undefined ? undefined : instantOf(to);
  if (fromMs !== undefined && toMs !== undefined && toMs <= fromMs) {
    const detail = 'to: expected an instant after `from`';
    throw new Problem('request.invalid', detail, {
      errors: [{ pointer: '/to', detail, expected: 'an instant after `from`' }],
    });
  }
  return { ...(fromMs === undefined ? {} : { fromMs }), ...(toMs === undefined ? {} : { toMs }) };
}

/** Parses an instant in a member of a body. @throws Problem `request.invalid` */
export function readInstant(given: string, pointer: string): number {
  const atMs = instantOf(given);
  if (atMs !== undefined) return atMs;
  const detail = 'This is not an instant.';
  throw new Problem('request.invalid', detail, { errors: [{ pointer, detail, expected }] });
}

/** `undefined` for a text that is not a date, and for a time of day without a zone, which would be ambiguous. */
function instantOf(given: string): number | undefined {
  // A plus sign that was not encoded arrives as a space.
  const date = parseIsoDate(given.replace(/ (?=\d\d:?\d\d$)/, '+'));
  if (typeof date === 'string') return undefined;
  if (date.offsetMs !== undefined) return date.localMs - date.offsetMs;
  return /[t ]/i.test(given) ? undefined : date.localMs;
}
