import { hourMs, minuteMs, secondMs } from '@ringfence/contract';

/*
 * Circuit breaker, one per endpoint:
 *
 *            >= 70 % of >= 10 attempts in 5 min failed
 *   closed ------------------------------------------> open --- a probe every 30 s
 *     ^  \                                              |  \
 *     |   \------------- only failures for ------------|---> disabled
 *     |                  120 h (at least 10)            |        |
 *     '------- an attempt begun after the opening is answered    |
 *     '------- a person enables it, or changes its address ------'
 *
 * Nothing is ever dropped: while the breaker is open or disabled, actions wait; they expire only at their own time.
 */

/** The sliding window in which attempts are counted. */
const windowMs = 5 * minuteMs;
/** The window consists of slots of this length, 30 in all, so that its cost does not depend on the traffic. */
const slotMs = 10 * secondMs;
/** Fewer attempts are not significant. */
const attemptsMin = 10;
const failedShareMin = 0.7;
export const probeEveryMs = 30 * secondMs;
/** An endpoint that only failed for five days is considered gone. Source: Standard Webhooks, operations. */
export const disableAfterMs = 120 * hourMs;
/** Prevents two failures with a silent week between them from disabling the endpoint. */
const disableFailuresMin = 10;

export interface BreakerSlot {
  /** Start of the slot, a multiple of `slotMs`. */
  readonly atMs: number;
  readonly answered: number;
  readonly failed: number;
}

export interface Breaker {
  readonly state: 'closed' | 'open' | 'disabled';
  readonly openedAtMs: number | undefined;
  /** When the next probe may be sent; set only while open. */
  readonly probeAtMs: number | undefined;
  /** Start of the unbroken series of failures; `undefined` after an answer. */
  readonly failingSinceMs: number | undefined;
  /** Failures in that series. */
  readonly failures: number;
  /** Oldest first, at most 31; empty while open or disabled. */
  readonly slots: readonly BreakerSlot[];
}

export const closedBreaker: Breaker = {
  state: 'closed',
  openedAtMs: undefined,
  probeAtMs: undefined,
  failingSinceMs: undefined,
  failures: 0,
  slots: [],
};

/** The result of an attempt as far as the endpoint is concerned. Code 0 is an answer: the endpoint is healthy. */
export interface Health {
  readonly kind: 'answered' | 'failed';
  readonly startedAtMs: number;
  readonly endedAtMs: number;
}

/** The breaker after an attempt. */
export function afterAttempt(breaker: Breaker, health: Health): Breaker {
  if (breaker.state === 'disabled') return breaker;
  return health.kind === 'answered' ? afterAnswer(breaker, health) : afterFailedAttempt(breaker, health);
}

function afterAnswer(breaker: Breaker, health: Health): Breaker {
  if (breaker.state === 'open') {
    // An answer to an attempt begun before the opening does not close the breaker.
    const openedAtMs = breaker.openedAtMs ?? 0;
    const sinceOpening = health.startedAtMs >= openedAtMs || isAhead(openedAtMs, health.endedAtMs);
    return sinceOpening ? closedBreaker : { ...breaker, failingSinceMs: undefined, failures: 0 };
  }
  return { ...closedBreaker, slots: counted(breaker.slots, health) };
}

function afterFailedAttempt(breaker: Breaker, health: Health): Breaker {
  const failingSinceMs = breaker.failingSinceMs ?? health.endedAtMs;
  const failures = breaker.failures + 1;
  if (health.endedAtMs - failingSinceMs >= disableAfterMs && failures >= disableFailuresMin) return disabled(breaker);
  if (breaker.state === 'open') return { ...breaker, failingSinceMs, failures };

  const slots = counted(breaker.slots, health);
  const failed = slots.reduce((sum, slot) => sum + slot.failed, 0);
  const total = slots.reduce((sum, slot) => sum + slot.failed + slot.answered, 0);
  if (total < attemptsMin || failed < failedShareMin * total) {
    return { ...breaker, failingSinceMs, failures, slots };
  }
  const openedAtMs = health.endedAtMs;
  return { state: 'open', openedAtMs, probeAtMs: openedAtMs + probeEveryMs, failingSinceMs, failures, slots: [] };
}

function disabled(breaker: Breaker): Breaker {
  return { ...breaker, state: 'disabled', probeAtMs: undefined, slots: [] };
}

function counted(slots: readonly BreakerSlot[], health: Health): readonly BreakerSlot[] {
  const atMs = Math.floor(health.endedAtMs / slotMs) * slotMs;
  const kept = slots.filter((slot) => Math.abs(slot.atMs - health.endedAtMs) < windowMs);
  const old = kept.find((slot) => slot.atMs === atMs) ?? { atMs, answered: 0, failed: 0 };
  const answered = old.answered + (health.kind === 'answered' ? 1 : 0);
  const failed = old.failed + (health.kind === 'failed' ? 1 : 0);
  return [...kept.filter((slot) => slot.atMs !== atMs), { atMs, answered, failed }];
}

/** Whether a probe may be sent now. The sender moves `probeAtMs` forward, so that there is only one. */
export function probeIsDue({ state, probeAtMs }: Breaker, nowMs: number): boolean {
  return state === 'open' && probeAtMs !== undefined && (probeAtMs <= nowMs || isAhead(probeAtMs, nowMs));
}

/** Whether an instant was recorded by a clock that has since been set back: no real one is that far in the future. */
function isAhead(notedMs: number, nowMs: number): boolean {
  return notedMs - nowMs > probeEveryMs;
}

export function withProbeTaken(breaker: Breaker, nowMs: number): Breaker {
  return { ...breaker, probeAtMs: nowMs + probeEveryMs };
}
