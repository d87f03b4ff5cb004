import { describe, expect, it } from 'vitest';
import { scoreOf } from '../src/score.ts';
import { prng } from './random-model.ts';

const table = { margins: [-4, -1, 0, 2], shares: [0, 0.5, 0.999, 1] };

describe('the score of log-odds', () => {
  it.each([
    [-Infinity, 0],
    [-5, 0],
    [-4, 0],
    [-2.5, 250_000],
    [-1, 500_000],
    [0, 999_000],
    [1, 999_500],
    [2, 1_000_000],
    [Infinity, 1_000_000],
  ])('of %d is %d thousandths', (margin, score) => {
    expect(scoreOf(table, margin)).toBe(score);
  });

  it('of a table of one pair is constant', () => {
    expect([-1, 0, 1].map((margin) => scoreOf({ margins: [0], shares: [0.25] }, margin))).toEqual(
      Array.from({ length: 3 }, () => 250_000),
    );
  });

  it('never falls while the margin grows, for 1,000 random tables', () => {
    const random = prng(4);
    let falls = 0;
    for (let run = 0; run < 1_000; run++) {
      const length = 1 + random(20);
      const ascending = (scale: number): number[] =>
        Array.from({ length }, () => (random(2 ** 32) / 2 ** 32) * scale).sort((a, b) => a - b);
      const margins = [...new Set(ascending(10))];
      const shares = ascending(1).slice(0, margins.length);
      const asked = [...ascending(11), ...margins, ...margins.map((margin) => margin + 2 ** -50)];
      const scores = asked.sort((a, b) => a - b).map((margin) => scoreOf({ margins, shares }, margin));
      falls += scores.filter((score, at) => at > 0 && score < scores[at - 1]!).length;
    }
    expect(falls).toBe(0);
  });
});
