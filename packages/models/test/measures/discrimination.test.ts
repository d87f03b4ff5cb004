import { describe, expect, it } from 'vitest';
import { areaUnderRoc, averagePrecision } from '../../src/measures/discrimination.ts';
import { rank, worstOfEach } from '../../src/measures/ranking.ts';
import { prng } from '../prng.ts';
import { scored } from './scored.ts';

describe('a ranking', () => {
  it('has each score once, and what reaches it', () => {
    const ranking = rank(scored([0.2, 0.9, 0.2, 0.5], [1, 1, 0, 0], [1, 2, 3, 4]));
    expect(ranking).toEqual({
      thresholds: Float64Array.of(0.9, 0.5, 0.2),
      frauds: Float64Array.of(2, 2, 3),
      legitimate: Float64Array.of(0, 4, 7),
      rows: Float64Array.of(1, 2, 4),
      fraudRows: Float64Array.of(1, 1, 2),
    });
  });

  it('refuses a score that is not a number', () => {
    expect(() => rank(scored([0.2, NaN], [1, 0]))).toThrow('each score is a number');
  });

  it('of the worst of each group has the highest score, and fraud if any was', () => {
    const worst = worstOfEach(scored([0.1, 0.8, 0.3, 0.2], [1, 0, 0, 0]), [7, 7, 3, 3]);
    expect(worst).toEqual(scored([0.8, 0.3], [1, 0]));
  });
});

describe('AUC and average precision', () => {
  // By hand, and as scikit-learn 1.9 gives them.
  it.each([
    ['the example of scikit-learn', [0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1], 0.75, 5 / 6],
    ['perfect', [1, 2, 3, 4], [0, 0, 1, 1], 1, 1],
    ['upside down', [4, 3, 2, 1], [0, 0, 1, 1], 0, (1 / 3 + 2 / 4) / 2],
    ['all the same', [5, 5, 5, 5], [0, 0, 1, 1], 0.5, 0.5],
    ['a tie of both kinds', [3, 2, 2, 1], [1, 1, 0, 0], 3.5 / 4, (1 + 2 / 3) / 2],
  ])('of %s', (...[, scores, labels, auc, precision]) => {
    const ranking = rank(scored(scores, labels));
    expect(areaUnderRoc(ranking)).toBeCloseTo(auc, 14);
    expect(averagePrecision(ranking)).toBeCloseTo(precision, 14);
  });

  it('are not there without both kinds of event', () => {
    expect(areaUnderRoc(rank(scored([1, 2], [0, 0])))).toBeUndefined();
    expect(areaUnderRoc(rank(scored([1, 2], [1, 1])))).toBeUndefined();
    expect(averagePrecision(rank(scored([1, 2], [0, 0])))).toBeUndefined();
    expect(averagePrecision(rank(scored([], [])))).toBeUndefined();
  });

  it('count a row of weight three as three rows', () => {
    const random = prng(4);
    const scores = Array.from({ length: 60 }, () => Math.floor(random() * 20));
    const labels = scores.map((score) => (random() * 20 < score ? 1 : 0));
    const weights = scores.map(() => 1 + Math.floor(random() * 3));
    const repeat = (values: readonly number[]): readonly number[] =>
      values.flatMap((value, row) => Array.from({ length: weights[row]! }, () => value));
    const [weighted, repeated] = [rank(scored(scores, labels, weights)), rank(scored(repeat(scores), repeat(labels)))];
    expect(areaUnderRoc(weighted)).toBe(areaUnderRoc(repeated));
    expect(averagePrecision(weighted)).toBe(averagePrecision(repeated));
  });

  it('equal the definition by pairs', () => {
    const random = prng(9);
    const scores = Array.from({ length: 80 }, () => Math.floor(random() * 30));
    const labels = scores.map(() => (random() < 0.3 ? 1 : 0));
    const outcomes = scores.flatMap((high, fraud) =>
      scores.flatMap((low, other) =>
        labels[fraud] === 1 && labels[other] === 0 ? [high > low ? 1 : high === low ? 0.5 : 0] : [],
      ),
    );
    const mean = outcomes.reduce<number>((sum, won) => sum + won, 0) / outcomes.length;
    expect(areaUnderRoc(rank(scored(scores, labels)))).toBeCloseTo(mean, 12);
  });
});
