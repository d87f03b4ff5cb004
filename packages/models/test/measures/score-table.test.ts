import { expect, it } from 'vitest';
import { scoreTable } from '../../src/measures/score-table.ts';
import { prng } from '../prng.ts';

it('has a knot for each of few margins, and 1 just above the highest', () => {
  const { margins, shares } = scoreTable(Float64Array.of(2, -1, 2, 0.5));
  expect(margins).toEqual([-1, 0.5, 2, 2 + 2 ** -51]);
  expect(shares).toEqual([0, 0.25, 0.5, 1]);
});

it.each([0, -1, -0.75, 5e-324, -5e-324, 1e300, 3])('1 is at the number next to %d', (margin) => {
  const [own, next] = scoreTable(Float64Array.of(margin)).margins;
  expect(own).toBe(margin);
  expect(next).toBeGreaterThan(margin);
  expect([own, next]).toContain((own! + next!) / 2); // there is no number between
});

it('is exact for the highest 200, within 1 % of those above elsewhere, and at most 2,000 knots', () => {
  const random = prng(1);
  const values = Float64Array.from({ length: 400_000 }, () => Math.fround((random() + random() + random()) * 4 - 12));
  const { margins, shares } = scoreTable(values);
  expect(margins.length).toBeLessThanOrEqual(2_000);
  expect(margins).toEqual([...new Set(margins)].sort((a, b) => a - b));
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  const sorted = values.toSorted();
  const below = new Map<number, number>();
  for (const [at, value] of sorted.entries()) if (!below.has(value)) below.set(value, at);
  for (const [at, margin] of margins.slice(0, -1).entries()) expect(shares[at]).toBe(below.get(margin)! / 400_000);
  for (const [at, share] of shares.slice(1).entries()) {
    expect(1 - shares[at]!).toBeLessThanOrEqual((1 - share) * 1.01 + 3 / 400_000);
  }
  expect(margins[0]).toBe(sorted[0]);
  for (const high of sorted.slice(-200)) expect(margins).toContain(high);
});
