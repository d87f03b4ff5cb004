import type { ActionResponse } from '@ringfence/contract';
import type { FailureReason } from './failure-reason.ts';
import { parseRetryAfter } from './retry-after.ts';

/** What came back over HTTP. */
export interface WebhookAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  /** At most 64 KiB; the rest was not read. */
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

/** What an answer means for its action. */
export type Verdict =
  | { readonly kind: 'executed'; readonly message: string | undefined }
  | { readonly kind: 'notExecuted'; readonly message: string | undefined }
  | {
      readonly kind: 'retry';
      readonly reason: FailureReason;
      readonly retryAfterMs: number | undefined;
      /** The endpoint, or what stands before it, has too much to do. */
      readonly overloaded: boolean;
    };

/** Characters kept of the client's `message`: enough for a sentence and an error's first lines. */
const messageLengthMax = 2_000;

const overloadStatuses: ReadonlySet<number> = new Set([429, 502, 504]);

/**
 * Reads an answer: 2xx with code 1 executed the action, 2xx with code 0 did not, and everything else is a failure that
 * is tried again: 410 too, which a proxy may say once. Redirects are never followed: they would carry the license key
 * and the client's data to another place.
 */
export function verdictOf(answer: WebhookAnswer, nowMs: number): Verdict {
  if (answer.status < 200 || answer.status > 299) {
    return {
      kind: 'retry',
      reason: answer.status >= 300 && answer.status <= 399 ? 'redirect' : 'status',
      retryAfterMs: parseRetryAfter(answer.retryAfter, nowMs),
      overloaded: overloadStatuses.has(answer.status),
    };
  }
  if (answer.truncated) return failed('answerTooLong');
  const response = parseResponse(answer.body);
  if (response === undefined) return failed('answer');
  return { kind: response.code === 1 ? 'executed' : 'notExecuted', message: response.message };
}

function failed(reason: FailureReason): Verdict {
  return { kind: 'retry', reason, retryAfterMs: undefined, overloaded: false };
}

/** The body as spec 2.5 has it; `undefined` when it is anything else. Unknown members are of no interest. */
function parseResponse(body: Uint8Array): ActionResponse | undefined {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(body)); // drops a byte order mark, which some platforms write
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  // Own members only: a `__proto__` in the body must not lend it a code.
  const code: unknown = Object.hasOwn(value, 'code') ? (value as { code: unknown }).code : undefined;
  if (code !== 0 && code !== 1) return undefined;
  const message: unknown = Object.hasOwn(value, 'message') ? (value as { message: unknown }).message : undefined;
  if (typeof message !== 'string' || message === '') return { code };
  // Cutting may part a surrogate pair, and what a receiver sends may hold half of one: readers of JSON refuse that.
  return { code, message: message.slice(0, messageLengthMax).toWellFormed() };
}
