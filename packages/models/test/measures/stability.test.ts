import { describe, expect, it } from 'vitest';
import {
  binCounts,
  inputPopulation,
  populationBins,
  stabilityAlarms,
  stabilityIndex,
  stabilityValuesMin,
  stabilityWarns,
} from '../../src/measures/stability.ts';
import { prng } from '../prng.ts';

describe('the stability index', () => {
  it('is the sum over bins of the change times its logarithm', () => {
    const before = [500, 300, 200, 0];
    const now = [400, 300, 300, 0];
    expect(stabilityIndex(before, now)).toBeCloseTo(-0.1 * Math.log(0.8) + 0.1 * Math.log(1.5), 3);
    expect(stabilityIndex(before, before)).toBe(0);
  });

  it('is finite if a bin was or becomes empty, and not there without values', () => {
    expect(stabilityIndex([100, 0], [0, 100])).toBeCloseTo(2 * (100 / 101) * Math.log(201), 12);
    expect(stabilityIndex([0, 0], [1, 1])).toBeUndefined();
    expect(stabilityIndex([1, 1], [0, 0])).toBeUndefined();
  });

  it('has a floor below which chance alone makes one: half a hundredth on average, and never a tenth', () => {
    const random = prng(9);
    for (const bins of [12, 22]) {
      const before = Array.from({ length: bins }, () => 4_000);
      const indices = Array.from({ length: 2_000 }, () => {
        const now = before.map(() => 0);
        for (let value = 0; value < stabilityValuesMin(bins); value++) now[Math.floor(random() * bins)]! += 1;
        return stabilityIndex(before, now)!;
      });
      expect(indices.reduce((sum, index) => sum + index, 0) / indices.length).toBeLessThan(0.012);
      expect(Math.max(...indices)).toBeLessThan(stabilityWarns / 2);
    }
  });

  it('stays below the warning in ten weeks of the same population, and passes the alarm on a shift', () => {
    const random = prng(2);
    const values = (count: number, shift: number): Float64Array =>
      Float64Array.from({ length: count }, () => (random() < 0.1 ? NaN : random() + random() + random() + shift));
    const { edges, counts } = populationBins(values(50_000, 0));
    const index = (shift: number): number => stabilityIndex(counts, binCounts(edges, values(500, shift)))!;
    const same = Array.from({ length: 70 }, () => index(0));
    expect(Math.max(...same)).toBeLessThan(stabilityWarns);
    expect(index(0.4)).toBeGreaterThan(stabilityAlarms);
  });
});

describe('bins of a population', () => {
  it('have about as many values each; missing ones are counted apart', () => {
    const values = Float64Array.from([...Array.from({ length: 100 }, (_, at) => at), NaN, NaN, NaN]);
    const { edges, counts } = populationBins(values, { binsMax: 5 });
    expect(edges).toEqual([19, 39, 59, 79]);
    expect(counts).toEqual([20, 20, 20, 20, 20, 3]);
  });

  it('give a frequent value its own', () => {
    const values = Float64Array.from({ length: 100 }, (_, at) => Math.max(0, at - 90));
    const { edges, counts } = populationBins(values, { binsMax: 4 });
    expect(edges).toEqual([0, 3, 6]);
    expect(counts).toEqual([91, 3, 3, 3, 0]);
  });

  it('count by weight', () => {
    const weights = Float64Array.of(1, 10, 10, 2.5, 2.5);
    const { edges, counts } = populationBins(Float64Array.of(1, 2, 3, NaN, NaN), { binsMax: 2, weights });
    expect([edges, counts]).toEqual([[2], [11, 10, 5]]);
  });

  it('have finite edges, whatever the values', () => {
    const values = Float64Array.of(-Infinity, -Infinity, -5, 1, 2, Infinity);
    const { edges, counts } = populationBins(values, { binsMax: 6 });
    expect(edges.every((edge) => Number.isFinite(edge))).toBe(true);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(6);
  });

  it('of a category are its texts, if they are few', () => {
    const positions = Float64Array.of(0, 0, 2, NaN, 1, 2);
    const texts = ['a', 'b', 'c', 'd'];
    expect(inputPopulation(positions, texts)).toEqual({ edges: [0, 1, 2], counts: [2, 1, 2, 0, 1] });
    const many = Array.from({ length: 500 }, (_, at) => String(at));
    const { edges } = inputPopulation(
      Float64Array.from({ length: 5_000 }, (_, at) => at % 500),
      many,
    );
    expect(edges).toHaveLength(9);
  });

  it('are one if all values are the same or missing', () => {
    expect(populationBins(new Float64Array(9))).toEqual({ edges: [], counts: [9, 0] });
    expect(populationBins(new Float64Array(9).fill(NaN))).toEqual({ edges: [], counts: [0, 9] });
  });
});
