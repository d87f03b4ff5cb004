import { type ActionResponse, secondMs } from '@ringfence/contract';
import type { FailureReason } from './failure-reason.ts';

/** The HTTP response. */
export interface WebhookAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** At most 64 KiB; the rest was not read. */
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

/** The meaning of an answer for its action. */
export type Verdict =
  | { readonly kind: 'executed'; readonly message: string | undefined }
  | { readonly kind: 'notExecuted'; readonly message: string | undefined }
  | {
      readonly kind: 'retry';
      readonly reason: FailureReason;
      readonly retryAfterMs: number | undefined;
      /** The endpoint, or a proxy before it, is overloaded. */
      readonly overloaded: boolean;
    };

/** Characters kept of the client's `message`: enough for a sentence and the first lines of an error. */
const messageLengthMax = 2_000;

const overloadStatuses: ReadonlySet<number> = new Set([429, 502, 504]);

/**
 * Interprets an answer: 2xx with code 1 executed the action, 2xx with code 0 did not. Everything else is a failure and
 * is retried, even 410, which a proxy may return temporarily. Redirects are never followed: they would carry the
 * license key and the client's data to another place.
 */
export function verdictOf(answer: WebhookAnswer, nowMs: number): Verdict {
  const refusal = refusalOf(answer, nowMs);
  if (refusal !== undefined) return refusal;
  if (answer.truncated) return failed('answerTooLong');
  const response = parseResponse(answer.body);
  if (response === undefined) return failed('answer');
  return { kind: response.code === 1 ? 'executed' : 'notExecuted', message: response.message };
}

/** A failure by the status alone; `undefined` for 2xx. */
export function refusalOf(
  { status, retryAfter }: Pick<WebhookAnswer, 'status' | 'retryAfter'>,
  nowMs: number,
): Extract<Verdict, { readonly kind: 'retry' }> | undefined {
  if (status >= 200 && status <= 299) return undefined;
  return {
    kind: 'retry',
    reason: status >= 300 && status <= 399 ? 'redirect' : 'status',
    retryAfterMs: parseRetryAfter(retryAfter, nowMs),
    overloaded: overloadStatuses.has(status),
  };
}

function failed(reason: FailureReason): Verdict {
  return { kind: 'retry', reason, retryAfterMs: undefined, overloaded: false };
}

/** Parses the body of spec 2.5; `undefined` when it is anything else. Unknown members are ignored. */
function parseResponse(body: Uint8Array): ActionResponse | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body)); // drops a byte order mark, which some platforms write
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // Own members only: a `__proto__` in the body must not supply a code.
  const code: unknown = Object.hasOwn(value, 'code') ? (value as { code: unknown }).code : undefined;
  if (code !== 0 && code !== 1) return undefined;
  const message: unknown = Object.hasOwn(value, 'message') ? (value as { message: unknown }).message : undefined;
  if (typeof message !== 'string' || message === '') return { code };
  // Cutting may split a surrogate pair, and a receiver may send half of one. JSON parsers reject lone surrogates.
  return { code, message: message.slice(0, messageLengthMax).toWellFormed() };
}

const secondsPattern = /^\d{1,9}$/;
const imfFixdate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The wait of a `Retry-After` header, 0 or more; `undefined` when the header is absent or neither whole seconds nor an
 * HTTP date. Source: RFC 9110, 10.2.3 and 5.6.7 (only the preferred date form).
 */
function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (secondsPattern.test(text)) return Number(text) * secondMs;
  if (!imfFixdate.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
