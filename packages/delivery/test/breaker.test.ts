import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterAttempt, type Breaker, closedBreaker, type Health, probeIsDue, withProbeTaken } from '../src/breaker.ts';

const startMs = 1_795_000_000_000;
const probeEveryMs = 30 * secondMs;
const disableAfterMs = 120 * hourMs;

function attempt(kind: Health['kind'], atMs: number, lastedMs = 0): Health {
  return { kind, startedAtMs: atMs - lastedMs, endedAtMs: atMs };
}

/** The breaker after these results, one per second. */
function after(results: readonly Health['kind'][], from: Breaker = closedBreaker, atMs = startMs): Breaker {
  return results.reduce((breaker, kind, index) => afterAttempt(breaker, attempt(kind, atMs + index * secondMs)), from);
}

/** A failure rate close to the threshold, so that most runs almost open the breaker. */
const aboutSevenInTenFail = fc.nat({ max: 9 }).map((one) => one < 3);

const failed = (count: number): Health['kind'][] => Array.from({ length: count }, () => 'failed');
const answered = (count: number): Health['kind'][] => Array.from({ length: count }, () => 'answered');

describe('opening', () => {
  it('requires ten attempts: nine failures are not significant', () => {
    expect(after(failed(9)).state).toBe('closed');
    expect(after(failed(10)).state).toBe('open');
  });

  it('requires a failure rate of 70 %', () => {
    expect(after([...answered(4), ...failed(9)]).state).toBe('closed'); // 9 of 13: 69.2 %
    expect(after([...answered(4), ...failed(10)]).state).toBe('open'); // 10 of 14: 71.4 %
    expect(after([...answered(6), ...failed(13)]).state).toBe('closed'); // 13 of 19: 68.4 %
    expect(after([...answered(6), ...failed(14)]).state).toBe('open'); // 14 of 20: 70 %
  });

  it('counts only the last five minutes', () => {
    const nine = after(failed(9));
    expect(afterAttempt(nine, attempt('failed', startMs + 4 * minuteMs)).state).toBe('open');
    expect(afterAttempt(nine, attempt('failed', startMs + 5 * minuteMs + 20 * secondMs)).state).toBe('closed');
  });

  it('ignores slots recorded by a clock that ran ahead and was set back since', () => {
    const ahead = after(answered(100), closedBreaker, startMs + hourMs);
    expect(after(failed(10), ahead).state).toBe('open');
  });

  it('keeps a bounded window, however many attempts there are', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 60_000 })), { maxLength: 400 }), (history) => {
        let breaker = closedBreaker;
        let atMs = startMs;
        for (const [good, gapMs] of history) {
          atMs += gapMs;
          breaker = afterAttempt(breaker, attempt(good ? 'answered' : 'failed', atMs));
          expect(breaker.slots.length).toBeLessThanOrEqual(31);
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('agrees with a naive count', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(aboutSevenInTenFail, fc.nat({ max: 4 })), { minLength: 10, maxLength: 80 }),
        (history) => {
          let breaker = closedBreaker;
          const seen: { good: boolean; slotMs: number }[] = [];
          let atMs = startMs;
          for (const [good, gap10s] of history) {
            atMs += gap10s * 10 * secondMs;
            seen.push({ good, slotMs: atMs });
            const window = seen.filter(({ slotMs }) => slotMs > atMs - 5 * minuteMs);
            const bad = window.filter((one) => !one.good).length;
            breaker = afterAttempt(breaker, attempt(good ? 'answered' : 'failed', atMs));
            const opens = !good && window.length >= 10 && bad >= 0.7 * window.length;
            expect(breaker.state).toBe(opens ? 'open' : 'closed');
            if (opens) return;
          }
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });
});

describe('while open', () => {
  const open = after(failed(10));
  const openedAtMs = startMs + 9 * secondMs;

  it('allows one probe every 30 s', () => {
    expect(probeIsDue(open, openedAtMs + probeEveryMs - 1)).toBe(false);
    expect(probeIsDue(open, openedAtMs + probeEveryMs)).toBe(true);
    const taken = withProbeTaken(open, openedAtMs + probeEveryMs);
    expect(probeIsDue(taken, openedAtMs + probeEveryMs)).toBe(false);
    expect(probeIsDue(taken, openedAtMs + 2 * probeEveryMs)).toBe(true);
  });

  it('closes on the answer to an attempt begun after the opening, and forgets the failures', () => {
    const closed = afterAttempt(open, attempt('answered', openedAtMs + probeEveryMs + 50, 50));
    expect(closed).toEqual(closedBreaker);
    expect(after(failed(9), closed, openedAtMs + minuteMs).state).toBe('closed');
  });

  it('closes on the answer to an attempt begun at the moment of opening', () => {
    expect(afterAttempt(open, attempt('answered', openedAtMs + 10, 10))).toEqual(closedBreaker);
  });

  it('stays open on the answer to an earlier attempt, which still ends the series of failures', () => {
    const still = afterAttempt(open, attempt('answered', openedAtMs + secondMs, 5 * secondMs));
    expect(still).toMatchObject({ state: 'open', openedAtMs, failingSinceMs: undefined, failures: 0 });
  });

  it('stays open on further failures, which do not move the time of opening', () => {
    const further = after(failed(20), open, openedAtMs + probeEveryMs);
    expect(further).toEqual({ ...open, failures: 30 });
  });
});

describe('disabling', () => {
  it('happens after 120 h of only failures', () => {
    const probes = Array.from({ length: 120 }, (_, hour) => attempt('failed', startMs + hour * hourMs));
    const before = probes.reduce(afterAttempt, closedBreaker);
    expect(before.state).not.toBe('disabled');
    expect(afterAttempt(before, attempt('failed', startMs + disableAfterMs)).state).toBe('disabled');
  });

  it('restarts the count after any answer', () => {
    const probes = Array.from({ length: 120 }, (_, hour) =>
      attempt(hour === 60 ? 'answered' : 'failed', startMs + hour * hourMs),
    );
    const before = probes.reduce(afterAttempt, closedBreaker);
    expect(afterAttempt(before, attempt('failed', startMs + disableAfterMs)).state).toBe('closed');
  });

  it('requires more than two failures with a silent week between them', () => {
    const two = [attempt('failed', startMs), attempt('failed', startMs + 2 * disableAfterMs)];
    expect(two.reduce(afterAttempt, closedBreaker).state).toBe('closed');
  });

  it('requires ten failures: nine in all those hours are not enough', () => {
    const some = (count: number): Breaker =>
      [...Array.from({ length: count - 1 }, (_, hour) => startMs + hour * hourMs), startMs + disableAfterMs]
        .map((atMs) => attempt('failed', atMs))
        .reduce(afterAttempt, closedBreaker);
    expect([some(9).state, some(10).state]).toEqual(['closed', 'disabled']);
  });

  it('lasts until a person ends it', () => {
    const disabled = afterAttempt(after(failed(10)), attempt('failed', startMs + disableAfterMs));
    expect(disabled.state).toBe('disabled');
    expect(afterAttempt(disabled, attempt('answered', startMs + disableAfterMs + hourMs))).toBe(disabled);
    expect(probeIsDue(disabled, startMs + disableAfterMs + hourMs)).toBe(false);
  });
});
