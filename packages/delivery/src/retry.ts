import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import { isUrgent } from './urgent.ts';

/**
 * Waits before attempts 2 to 10; the first attempt is made at once. 75 h 35 min 5 s in all.
 * Source: the example schedule of the Standard Webhooks specification.
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
 * Waits after an answer with code 0, where the workspace asked for retries of those. Few and long: the client
 * understood the request and declined it, so only a changed state of the client's own can change the answer.
 */
const notExecutedDelaysMs: readonly number[] = [5 * minuteMs, 30 * minuteMs, 2 * hourMs];

/** Share of a wait by which it is made shorter or longer, so that what failed together does not return together. */
const jitterShare = 0.2;

/** The shortest wait after an answer that says "too much": 429, 502 or 504. */
const overloadDelayMsMin = minuteMs;

export interface Failure {
  readonly action: number;
  /** Attempts made in this round, the failed one included; at least 1. A round begins when a person sends again. */
  readonly attempt: number;
  /** In [0, 1); from the caller, so that a test can name it. */
  readonly jitter: number;
  /** The answer was code 0, not a failure of the transport or the endpoint. */
  readonly notExecuted: boolean;
  /** Answers with code 0 in this round before this attempt. */
  readonly notExecutedBefore: number;
  /** What the answer's `Retry-After` asked for. */
  readonly retryAfterMs: number | undefined;
  readonly overloaded: boolean;
}

export type Next = { readonly kind: 'wait'; readonly delayMs: number } | { readonly kind: 'giveUp' };

/**
 * What to do after an attempt that did not execute the action.
 *
 * The wait after a failure goes by all attempts of the round, the wait after code 0 by the answers with code 0 alone: what
 * failed before shortens no schedule of those. Both end with the schedule of failures, so a round is never longer than that.
 *
 * The wait is the schedule's, +-20 %. `Retry-After` is honoured between once and twice the schedule's wait, and is
 * then only ever exceeded, by up to 20 %: an endpoint can slow us down, but not stop us.
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
