import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check, decimal, evaluate, mistakeOf } from '../evaluate.ts';

const usual = { clientAmountProfile: 100, 'clientAmountProfile.deviation': 20 };

describe('zscore', () => {
  it('counts standard deviations from the average', () => {
    const given = { ...usual, 'order.amount': decimal('160') };
    expect(evaluate('zscore(order.amount, clientAmountProfile) == 3.0', given)).toBe(true);
    expect(evaluate('zscore(40, clientAmountProfile) == -3.0', usual)).toBe(true);
    expect(evaluate('zscore(order.amount, clientAmountProfile) > 3.0', given)).toBe(false);
  });

  it('is missing while the profile, its deviation or the number is', () => {
    const condition = 'zscore(order.amount, clientAmountProfile) > 3.0';
    expect(evaluate(condition, usual)).toBeUndefined();
    expect(evaluate(condition, { 'order.amount': decimal('1') })).toBeUndefined();
    expect(evaluate(condition, { 'order.amount': decimal('1'), clientAmountProfile: 1 })).toBeUndefined();
  });

  it('equals a reference computation, 10,000 times', () => {
    const cents = fc.integer({ min: -5_000_000, max: 500_000_000 });
    const usually = fc.option(fc.double({ min: -1e6, max: 1e9, noNaN: true }), { nil: undefined, freq: 9 });
    const deviation = fc.option(fc.double({ min: 0.01, max: 1e6, noNaN: true }), { nil: undefined, freq: 9 });
    const above = check('zscore(order.amount, clientAmountProfile) >= 2.5');
    const below = check('zscore(order.amount, clientAmountProfile) <= -2.5');
    fc.assert(
      fc.property(cents, usually, deviation, (amount, mean, spread) => {
        const given = {
          'order.amount': decimal((amount / 100).toFixed(2)),
          clientAmountProfile: mean,
          'clientAmountProfile.deviation': spread,
        };
        const score = mean === undefined || spread === undefined ? undefined : (amount / 100 - mean) / spread;
        expect(above.run(given)).toBe(score === undefined ? undefined : score >= 2.5);
        expect(below.run(given)).toBe(score === undefined ? undefined : score <= -2.5);
      }),
      { seed: 8, numRuns: 10_000 },
    );
  });

  it.each([
    [
      'zscore(order.amount) > 3.0',
      '"zscore": zscore needs a number and the name of a profile => zscore(order.amount, clientAmountProfile)',
    ],
    [
      'zscore(order.amount, clientAmountProfil) > 3.0',
      '"clientAmountProfil": there is no profile clientAmountProfil => clientAmountProfile',
    ],
    [
      'zscore(order.amount, avg30d) > 3.0',
      '"avg30d": avg30d is not a profile: zscore needs a feature of that kind => clientAmountProfile',
    ],
    ['zscore(order.currency, clientAmountProfile) > 3.0', '"order.currency": a string has no z-score => a number'],
  ])('%s is refused', (condition, mistake) => {
    expect(mistakeOf(condition)).toBe(mistake);
  });
});
