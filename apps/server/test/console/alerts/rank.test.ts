import { describe, expect, it } from 'vitest';
import { moneyPoints, rankOf } from '../../../src/console/alerts/rank.ts';

const alert = { risk: 50, money: 10, openedAtMs: Date.UTC(2_026, 10, 21), tie: 7 };
const hourMs = 3_600_000;

describe('the rank of an alert', () => {
  it.each([
    ['more risk', { risk: 51 }],
    ['more money', { money: 15 }],
    ['a longer wait', { openedAtMs: alert.openedAtMs - hourMs }],
  ])('grows with %s', (_, change) => {
    expect(rankOf({ ...alert, ...change })).toBeGreaterThan(rankOf(alert));
  });

  it('counts an hour, a point of risk and a point of money the same', () => {
    const later = { ...alert, openedAtMs: alert.openedAtMs + 2 * hourMs };
    expect(rankOf({ ...later, risk: 52 })).toBe(rankOf(alert));
    expect(rankOf({ ...alert, money: 15, risk: 45 })).toBe(rankOf(alert));
  });

  it('is a safe integer, whatever the alert', () => {
    for (const money of [0, 0.01, 30]) {
      for (const openedAtMs of [0, Date.UTC(2_099, 0)]) {
        const rank = rankOf({ risk: 100, money, openedAtMs, tie: Number.MAX_SAFE_INTEGER });
        expect(Number.isSafeInteger(rank)).toBe(true);
        expect(rank).toBeGreaterThan(0);
      }
    }
  });

  it('distinguishes equal alerts by their tie-breaker', () => {
    expect(new Set([0, 1, 2].map((tie) => rankOf({ ...alert, tie }))).size).toBe(3);
  });
});

describe('the points of an amount', () => {
  it.each([
    { it: 'nothing for an ordinary amount', amount: 500, ordinary: 500, points: 0 },
    { it: 'nothing for a smaller amount', amount: 20, ordinary: 500, points: 0 },
    { it: 'five points for one more digit', amount: 5_000, ordinary: 500, points: 5 },
    { it: 'ten for two more digits', amount: 50_000, ordinary: 500, points: 10 },
    { it: 'thirty at most', amount: 1e24, ordinary: 1, points: 30 },
    { it: 'nothing for an unknown currency', amount: 50_000, ordinary: undefined, points: 0 },
    { it: 'nothing when ordinary orders have no amount', amount: 50_000, ordinary: 0, points: 0 },
  ])('is $it', ({ amount, ordinary, points }) => {
    expect(moneyPoints(amount, ordinary)).toBeCloseTo(points, 9);
  });
});
