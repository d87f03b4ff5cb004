import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { isUrgent } from './urgent.ts';

/**
 * Waits before attempts 2 to 10; the first attempt is made immediately. 75 h 35 min 5 s in total. Source: the example
 * schedule of the Standard Webhooks specification.
 */
export const standardDelaysMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** The same with two more attempts in the first minutes, while blocking a user or closing a session still helps. */
export const urgentDelaysMs: readonly number[] = [5 * secondMs, 15 * secondMs, minuteMs, ...standardDelaysMs.slice(1)];

/**
 * Waits after an answer with code 0, if the workspace retries those. Few and long: the client understood the request
 * and declined it, so only a change in its own system can change the answer.
 */
const notExecutedDelaysMs: readonly number[] = [5 * minuteMs, 30 * minuteMs, 2 * hourMs];

/** Jitter: the share by which a wait is shortened or lengthened, so that attempts that failed together spread out. */
const jitterShare = 0.2;

/** The shortest wait after an answer that signals overload: 429, 502 or 504. */
const overloadDelayMsMin = minuteMs;

export interface Failure {
  readonly action: number;
  /** Attempts in this round, including the failed one; at least 1. A redelivery starts a new round. */
  readonly attempt: number;
  /** In [0, 1); passed by the caller, so that tests can fix it. */
  readonly jitter: number;
  /** The answer was code 0, not a failure of the transport or the endpoint. */
  readonly notExecuted: boolean;
  /** Earlier answers with code 0 in this round. */
  readonly notExecutedBefore: number;
  /** The wait requested by the answer's `Retry-After`. */
  readonly retryAfterMs: number | undefined;
  readonly overloaded: boolean;
}

export type Next = { readonly kind: 'wait'; readonly delayMs: number } | { readonly kind: 'giveUp' };

/**
 * What to do after an attempt that did not execute the action.
 *
 * The wait after a failure depends on all attempts of the round. The wait after code 0 depends only on the answers with
 * code 0, so earlier failures do not shorten their schedule. Both end with the schedule of failures, which bounds the
 * round.
 *
 * The wait is the schedule's, +-20 %. `Retry-After` is honoured between once and twice the schedule's wait and then
 * only lengthened by the jitter, by up to 20 %: an endpoint can slow us down, but not stop us.
 */
export function afterFailure(failure: Failure): Next {
  const scheduledMs = scheduledDelayMs(failure);
  if (scheduledMs === undefined) return { kind: 'giveUp' };

  const baseMs = failure.overloaded ? Math.max(scheduledMs, overloadDelayMsMin) : scheduledMs;
  if (failure.retryAfterMs !== undefined) {
    const askedMs = Math.min(Math.max(failure.retryAfterMs, baseMs), 2 * baseMs);
    return { kind: 'wait', delayMs: Math.round(askedMs * (1 + jitterShare * failure.jitter)) };
  }
  const delayMs = Math.round(baseMs * (1 - jitterShare + 2 * jitterShare * failure.jitter));
  return { kind: 'wait', delayMs: failure.overloaded ? Math.max(delayMs, overloadDelayMsMin) : delayMs };
}

/** `undefined` when the schedule is used up. */
function scheduledDelayMs({ action, attempt, notExecuted, notExecutedBefore }: Failure): number | undefined {
  const delayMs = (isUrgent(action) ? urgentDelaysMs : standardDelaysMs)[attempt - 1];
  return delayMs !== undefined && notExecuted ? notExecutedDelaysMs[notExecutedBefore] : delayMs;
}
