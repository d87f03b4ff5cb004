import { describe, expect, it } from 'vitest';
import { rankOf } from '../../src/alerts/rank.ts';

const alert = { risk: 50, amount: 1_000, openedAtMs: Date.UTC(2_026, 10, 21), tie: 7 };
const hourMs = 3_600_000;

describe('the rank of an alert', () => {
  it.each([
    ['more risk', { risk: 51 }],
    ['more money', { amount: 10_000 }],
    ['a longer wait', { openedAtMs: alert.openedAtMs - hourMs }],
  ])('grows with %s', (_, change) => {
    expect(rankOf({ ...alert, ...change })).toBeGreaterThan(rankOf(alert));
  });

  it('weighs an hour as a point of risk, and ten times the money as five', () => {
    const later = { ...alert, openedAtMs: alert.openedAtMs + 2 * hourMs };
    expect(rankOf({ ...later, risk: 52 })).toBe(rankOf(alert));
    expect(rankOf({ ...alert, amount: 10_000, risk: 45 })).toBe(rankOf(alert));
  });

  it('is a safe whole number, whatever the alert', () => {
    for (const amount of [0, 0.01, 1e24]) {
      for (const openedAtMs of [0, Date.UTC(2_099, 0)]) {
        const rank = rankOf({ risk: 100, amount, openedAtMs, tie: Number.MAX_SAFE_INTEGER });
        expect(Number.isSafeInteger(rank)).toBe(true);
        expect(rank).toBeGreaterThan(0);
      }
    }
  });

  it('tells equals apart by their tie', () => {
    expect(new Set([0, 1, 2].map((tie) => rankOf({ ...alert, tie }))).size).toBe(3);
  });
});
