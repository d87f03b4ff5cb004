import { secondMs } from '@ringfence/contract';

const secondsPattern = /^\d{1,9}$/;
const imfFixdate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait of a `Retry-After` header, 0 or more; `undefined` when the header is absent or neither whole seconds nor an
 * HTTP date. Source: RFC 9110, 10.2.3 and 5.6.7 (only the preferred date form).
 */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (secondsPattern.test(text)) return Number(text) * secondMs;
  if (!imfFixdate.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
