import { limits } from './limits.ts';
import type { TransportAnswer } from './transport.ts';

/** What an answer of the service means for the event. */
export type Verdict =
  | { readonly kind: 'stored' }
  | { readonly kind: 'retry'; readonly why: string; readonly retryAfterMs: number | undefined }
  | { readonly kind: 'refused'; readonly code: string | undefined; readonly detail: string };

/**
 * A 2xx: stored, unless its body is something else than a JSON object: that is a page of whatever stands before the
 * service, which is down, and has stored nothing. 408, 429 and 5xx: sent again. Everything else would be refused again;
 * a redirect as well, because the service makes none, and following one would carry the license key elsewhere.
 */
export function readVerdict(answer: TransportAnswer): Verdict {
  const { status } = answer;
  if (status >= 200 && status < 300) {
    if (!/^\s*[^\s{]/.test(answer.body)) return { kind: 'stored' };
    return { kind: 'retry', why: `status ${status}, but it is no answer of Ringfence`, retryAfterMs: undefined };
  }
  if (status === 408 || status === 429 || status >= 500) {
    return { kind: 'retry', why: `status ${status}`, retryAfterMs: readRetryAfterMs(answer.retryAfter) };
  }
  return { kind: 'refused', ...readProblem(answer) };
}

/** Whole seconds, as the service sends it. A date or a 0 (of a proxy) is left to our own delays: 0 would be none at all. */
function readRetryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^[1-9]\d{0,8}$/.test(header)) return undefined;
  return Math.min(Number(header) * 1_000, limits.retryAfterMsMax);
}

/** Code and detail of problem details (RFC 9457), with every wrong field; else the status alone. */
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
