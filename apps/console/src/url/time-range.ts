/** A span that ends now, or two instants. It is kept in the address on all pages. */
export interface TimeRangeSearch {
  readonly range?: RelativeRange;
  readonly from?: string;
  readonly to?: string;
}

export const relativeRanges = ['1h', '24h', '7d', '30d', '90d'] as const;
export type RelativeRange = (typeof relativeRanges)[number];

const hourMs = 3_600_000;
const spanMs: Readonly<Record<RelativeRange, number>> = {
  '1h': hourMs,
  '24h': 24 * hourMs,
  '7d': 7 * 24 * hourMs,
  '30d': 30 * 24 * hourMs,
  '90d': 90 * 24 * hourMs,
};

export const defaultRange: RelativeRange = '24h';

/** The time range of an address; invalid values are dropped. */
export function readTimeRange(search: Readonly<Record<string, unknown>>): TimeRangeSearch {
  const range = relativeRanges.find((known) => known === search['range']);
  if (range !== undefined) return { range };
  const from = instantOf(search['from']);
  const to = instantOf(search['to']);
  if (from === undefined || (to !== undefined && to <= from)) return {};
  return to === undefined ? { from } : { from, to };
}

function instantOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}

/** Instants for a query. Relative ones are truncated to the minute, so that queries can be cached. */
export function spanOf(search: TimeRangeSearch, nowMs: number): { readonly from: string; readonly to?: string } {
  if (search.from !== undefined) {
    return search.to === undefined ? { from: search.from } : { from: search.from, to: search.to };
  }
  const minuteMs = 60_000;
  const nowMinuteMs = Math.floor(nowMs / minuteMs) * minuteMs;
  return { from: new Date(nowMinuteMs - spanMs[search.range ?? defaultRange]).toISOString() };
}
