import { limits } from './limits.ts';
import type { TransportAnswer } from './transport.ts';

/** The meaning of a response for the event. */
export type Verdict =
  | { readonly kind: 'stored' }
  | { readonly kind: 'retry'; readonly why: string; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'refused'; readonly code: string | undefined; readonly detail: string };

/**
 * Interprets a response. 2xx: stored, if the body is a JSON object; any other body comes from a proxy in front of a
 * service that is down, and nothing was stored. 408, 429 and 5xx: retried. Everything else would be refused again. So
 * would a redirect: the service sends none, and following one would carry the license key elsewhere.
 */
export function readVerdict(answer: TransportAnswer): Verdict {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    if (!/^\s*[^\s{]/.test(answer.body)) return { kind: 'stored' };
    return { kind: 'retry', why: `status ${status}, but not a response of Ringfence`, retryAfterMs: undefined };
  }
  if (status === 408 || status === 429 || status >= 500) {
    return { kind: 'retry', why: `status ${status}`, retryAfterMs: readRetryAfterMs(answer.retryAfter) };
  }
  return { kind: 'refused', ...readProblem(answer) };
}

/**
 * Whole seconds, as the service sends them. A date, or a 0 from a proxy, is ignored in favour of our own delays: 0
 * would mean no delay.
 */
function readRetryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^[1-9]\d{0,8}$/.test(header)) return undefined;
  return Math.min(Number(header) * 1_000, limits.retryAfterMsMax);
}

/** Code and detail of problem details (RFC 9457), with every invalid field; otherwise the status alone. */
function readProblem(answer: TransportAnswer): { readonly code: string | undefined; readonly detail: string } {
  const problem = parseObject(answer.body);
  const code = typeof problem?.['code'] === 'string' ? problem['code'] : undefined;
  const parts: string[] = [];
  for (const name of ['detail', 'title'] as const) {
    const text = problem?.[name];
    if (typeof text === 'string' && parts.length === 0) parts.push(text);
  }
  if (parts.length === 0) parts.push(`status ${answer.status}`);
  const errors = Array.isArray(problem?.['errors']) ? (problem['errors'] as unknown[]) : [];
  for (const error of errors) {
    if (typeof error !== 'object' || error === null) continue;
    const { pointer, detail, expected } = error as { pointer?: unknown; detail?: unknown; expected?: unknown };
    if (typeof pointer !== 'string' || typeof detail !== 'string') continue;
    parts.push(`${pointer}: ${detail}${typeof expected === 'string' ? ` Expected: ${expected}.` : ''}`);
  }
  return { code, detail: parts.join('; ') };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The lag that an answer tells; `undefined` for anything but a number of seconds. */
export function readLagSeconds(lag: string | undefined): number | undefined {
  return lag !== undefined && /^\d{1,9}(?:\.\d{1,3})?$/.test(lag) ? Number(lag) : undefined;
}
