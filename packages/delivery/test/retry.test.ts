import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterFailure, type Failure, standardDelaysMs, urgentDelaysMs } from '../src/retry.ts';

const failure: Failure = {
  action: 6,
  attempt: 1,
  jitter: 0.5,
  notExecuted: false,
  notExecutedBefore: 0,
  retryAfterMs: undefined,
  overloaded: false,
};
const jitter = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** The waits of a schedule in which every attempt fails. */
function gaps(base: Failure): readonly number[] {
  const found: number[] = [];
  for (let attempt = 1; attempt < 100; attempt++) {
    const next = afterFailure({ ...base, attempt });
    if (next.kind === 'giveUp') return found;
    found.push(next.delayMs);
  }
  throw new Error('the schedule does not end');
}

describe('the retry schedule', () => {
  it('makes 10 attempts within 75 h 35 min 5 s', () => {
    const all = gaps(failure);
    expect(all).toEqual([5_000, 300_000, 1_800_000, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hourMs)]);
    expect(all.reduce((sum, gap) => sum + gap)).toBe(75 * hourMs + 35 * minuteMs + 5 * secondMs);
  });

  it.each([1, 2])('makes two more attempts in the first minutes for action %i', (action) => {
    expect(gaps({ ...failure, action }).slice(0, 4)).toEqual([5_000, 15_000, 60_000, 300_000]);
    expect(gaps({ ...failure, action })).toHaveLength(standardDelaysMs.length + 2);
  });

  it('keeps every gap within 20 % of its schedule (1,000 seeds)', () => {
    for (let seed = 1; seed <= 1_000; seed++) {
      const [one = 0] = fc.sample(jitter, { seed, numRuns: 1 });
      for (const [action, schedule] of [
        [6, standardDelaysMs],
        [2, urgentDelaysMs],
      ] as const) {
        gaps({ ...failure, action, jitter: one }).forEach((gap, index) => {
          const scheduled = schedule[index] ?? Number.NaN;
          expect(Math.abs(gap - scheduled), `SEED=${seed}`).toBeLessThanOrEqual(0.2 * scheduled + 1);
        });
      }
    }
  });

  it('spreads attempts that failed together over the whole 40 %', () => {
    const delays = [0, 0.25, 0.5, 0.75, 0.999_999].map((one) => gaps({ ...failure, jitter: one })[1]);
    expect(delays).toEqual([240_000, 270_000, 300_000, 330_000, 360_000]);
  });
});

describe('an answer that requests a delay', () => {
  it('waits at least a minute when it signals overload', () => {
    fc.assert(
      fc.property(jitter, fc.integer({ min: 1, max: 9 }), (one, attempt) => {
        const next = afterFailure({ ...failure, attempt, jitter: one, overloaded: true });
        expect(next.kind === 'wait' && next.delayMs).toBeGreaterThanOrEqual(minuteMs);
      }),
      { seed: 1 },
    );
  });

  it('waits at most two minutes after the first attempt when it signals overload and requests an hour', () => {
    const asked = { ...failure, jitter: 0, overloaded: true, retryAfterMs: hourMs };
    expect(afterFailure(asked)).toEqual({ kind: 'wait', delayMs: 2 * minuteMs });
    expect(afterFailure({ ...asked, retryAfterMs: secondMs })).toEqual({ kind: 'wait', delayMs: minuteMs });
  });

  it.each([
    ['less than the schedule', 1 * secondMs, 300_000],
    ['between once and twice the schedule', 400 * secondMs, 400_000],
    ['far more', 86_400 * secondMs, 600_000],
  ])('is limited to once to twice the schedule: %s', (_, retryAfterMs, expected) => {
    expect(afterFailure({ ...failure, attempt: 2, retryAfterMs, jitter: 0 })).toEqual({
      kind: 'wait',
      delayMs: expected,
    });
  });

  it('is never retried before the requested time, if that is at most twice the schedule', () => {
    fc.assert(
      fc.property(jitter, fc.integer({ min: 0, max: 600 * secondMs }), (one, retryAfterMs) => {
        const next = afterFailure({ ...failure, attempt: 2, retryAfterMs, jitter: one });
        expect(next.kind === 'wait' && next.delayMs).toBeGreaterThanOrEqual(retryAfterMs);
      }),
      { seed: 1 },
    );
  });
});

describe('an answer with code 0', () => {
  /** The waits after a sequence of answers and failures: 0 is code 0, x a failure. */
  function waits(answers: string, action = 6): readonly unknown[] {
    return Array.from(answers, (answer, index) => {
      const notExecutedBefore = answers.slice(0, index).split('0').length - 1;
      const next = afterFailure({
        ...failure,
        action,
        attempt: index + 1,
        notExecuted: answer === '0',
        notExecutedBefore,
      });
      return next.kind === 'wait' ? next.delayMs : next.kind;
    });
  }
  const own = [5 * minuteMs, 30 * minuteMs, 2 * hourMs];

  it.each([1, 6])('has its own short schedule, if it is retried at all (action %i)', (action) => {
    expect(waits('0000', action)).toEqual([...own, 'giveUp']);
  });

  it('starts its schedule with the first code 0, whatever failed before or between', () => {
    expect(waits('xx0').at(-1)).toBe(own[0]);
    expect(waits('xxxx0x0x0x0').filter((_, index) => 'xxxx0x0x0x0'[index] === '0')).toEqual([...own, 'giveUp']);
  });

  it('makes no round longer than the schedule of failures', () => {
    expect(waits(`${'x'.repeat(standardDelaysMs.length - 1)}00`).slice(-2)).toEqual([own[0], 'giveUp']);
    expect(waits(`${'x'.repeat(urgentDelaysMs.length - 1)}00`, 2).slice(-2)).toEqual([own[0], 'giveUp']);
  });
});
