/** Every expected value is computed by hand; the AUC and the average precision also as scikit-learn's documents give them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cardPrecision } from '../src/handbook/measures/card-precision.ts';
import { aucRoc, averagePrecision, type Scored } from '../src/handbook/measures/ranking.ts';

function scored(...rows: readonly (readonly [score: number, fraud: 0 | 1])[]): Scored {
  return {
    score: Float64Array.from(rows, ([score]) => score),
    fraud: Uint8Array.from(rows, ([, fraud]) => fraud),
  };
}

/** The example in the documents of scikit-learn, for both measures. */
const documented = scored([0.1, 0], [0.4, 0], [0.35, 1], [0.8, 1]);

describe('the area under the ROC curve', () => {
  it('is the share of pairs in the right order', () => {
    expect(aucRoc(documented)).toBe(0.75);
    expect(aucRoc(scored([3, 1], [2, 0], [1, 0]))).toBe(1);
    expect(aucRoc(scored([1, 1], [2, 0], [3, 0]))).toBe(0);
  });

  it('counts pairs of equal scores as half', () => {
    expect(aucRoc(scored([5, 1], [5, 0]))).toBe(0.5);
    // Pairs: 2 and 1 right, 2 and 2 equal; 1 and 1 equal, 1 and 2 wrong.
    expect(aucRoc(scored([2, 1], [1, 1], [2, 0], [1, 0]))).toBe(0.5);
    // 3 above both; 1 equal to one, below the other: (2 + 0.5) / 4.
    expect(aucRoc(scored([3, 1], [1, 1], [1, 0], [2, 0]))).toBe(0.625);
  });

  it('equals the count over all pairs', () => {
    const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom(0, 1)), { maxLength: 40 });
    fc.assert(
      fc.property(rows, (drawn) => {
        const given = [[3, 1], [4, 0], ...drawn] as (readonly [number, 0 | 1])[];
        const [frauds, others] = [given.filter(([, fraud]) => fraud === 1), given.filter(([, fraud]) => fraud === 0)];
        const pairs = frauds.flatMap(([a]) => others.map(([b]) => (Math.sign(a - b) + 1) / 2));
        expect(aucRoc(scored(...given))).toBeCloseTo(pairs.reduce((sum, pair) => sum + pair, 0) / pairs.length, 12);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('is refused without fraud, or with nothing else', () => {
    expect(() => aucRoc(scored([1, 0]))).toThrow('there is fraud');
    expect(() => aucRoc(scored([1, 1]))).toThrow('there is fraud');
    expect(() => aucRoc(scored([NaN, 1], [1, 0]))).toThrow('a score is a number');
  });
});

describe('the average precision', () => {
  it('weighs the precision at each threshold with the recall that it adds', () => {
    // 0.8: precision 1, half of the recall; 0.35: precision 2/3, the other half.
    expect(averagePrecision(documented)).toBeCloseTo(0.5 + 0.5 * (2 / 3), 15);
    expect(averagePrecision(scored([1, 1], [2, 0], [3, 0]))).toBeCloseTo(1 / 3, 15);
  });

  it('takes rows of equal scores together, in any order', () => {
    // 9: precision 1, a third; 5: two frauds of four rows in all, so 3/4 and two thirds.
    const rows = [
      [5, 0],
      [9, 1],
      [5, 1],
      [5, 1],
    ] as const;
    expect(averagePrecision(scored(...rows))).toBeCloseTo(1 / 3 + (2 / 3) * (3 / 4), 15);
    expect(averagePrecision(scored(...rows.toReversed()))).toBe(averagePrecision(scored(...rows)));
    expect(averagePrecision(scored([0, 1], [0, 0], [0, 0], [0, 0]))).toBe(0.25);
  });

  it('is refused without fraud', () => {
    expect(() => averagePrecision(scored([1, 0]))).toThrow('there is fraud');
  });
});

describe('the card precision', () => {
  type Row = readonly [day: number, customer: number, score: number, fraud: 0 | 1];
  const of = (rows: readonly Row[], top: number): number =>
    cardPrecision(
      {
        day: Uint32Array.from(rows, ([day]) => day),
        customer: Uint32Array.from(rows, ([, customer]) => customer),
        score: Float64Array.from(rows, ([, , score]) => score),
        fraud: Uint8Array.from(rows, ([, , , fraud]) => fraud),
      },
      top,
    );

  it('takes the highest score of a customer, who is compromised by any row of the day', () => {
    // The first two are customers 1 (0.9; the fraud has 0.1) and 2.
    const day: readonly Row[] = [
      [0, 1, 0.1, 1],
      [0, 1, 0.9, 0],
      [0, 2, 0.8, 0],
      [0, 3, 0.7, 1],
    ];
    expect(of(day, 2)).toBe(0.5);
    expect(of(day, 3)).toBeCloseTo(2 / 3, 15);
  });

  it('divides by all that could be checked, also on days with fewer customers', () => {
    expect(of([[0, 1, 0.9, 1]], 4)).toBe(0.25);
  });

  it('does not check a customer again who was found, and is the mean over the days', () => {
    const days: readonly Row[] = [
      [8, 1, 0.9, 1], // found before, in any order of the rows
      [8, 2, 0.5, 1],
      [7, 1, 0.9, 1],
      [7, 2, 0.5, 1], // compromised, but not checked
    ];
    expect(of(days, 1)).toBe(1);
    expect(of(days.toSpliced(1, 1), 1)).toBe(0.5);
  });

  it('orders customers of equal scores by their numbers', () => {
    const day: readonly Row[] = [
      [0, 9, 0.5, 1],
      [0, 4, 0.5, 0],
    ];
    expect(of(day, 1)).toBe(0);
  });
});
