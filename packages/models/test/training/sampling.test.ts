import { describe, expect, it } from 'vitest';
import { isKept, rowWeight } from '../../src/training/sampling.ts';
import { tooFewRows } from '../../src/training/too-few-rows.ts';
import { grown } from './grown.ts';
import { prng } from '../prng.ts';

describe('the sample', () => {
  it('keeps all frauds, and weighs the legitimate rows that it keeps back to all', () => {
    const weights = (fraud: boolean): readonly number[] =>
      Array.from({ length: 40_000 }, (_, identity) =>
        rowWeight({ fraud, identity, ageMs: 0 }, { legitimateShare: 0.1 }),
      );
    expect(new Set(weights(true))).toEqual(new Set([1]));
    const kept = weights(false).filter((weight) => weight > 0);
    expect(new Set(kept)).toEqual(new Set([10]));
    expect(kept.length / 40_000).toBeCloseTo(0.1, 2);
  });

  it('keeps more with a larger share, never others', () => {
    const names = Array.from({ length: 5_000 }, (_, at) => at);
    const [few, more] = [0.1, 0.3].map((share) => names.filter((name) => isKept(name, share)));
    expect(more).toEqual(expect.arrayContaining(few!));
    expect(few!.length).toBeGreaterThan(400);
    expect(few!.length).toBeLessThan(600);
    expect(names.every((name) => isKept(name, 1))).toBe(true);
    expect(few!.slice(0, 5)).toMatchInlineSnapshot(`
      [
        3,
        5,
        6,
        12,
        13,
      ]
    `);
  });

  it('halves the weight with each half-life', () => {
    const weightAt = (ageMs: number): number =>
      rowWeight({ fraud: true, identity: 1, ageMs }, { legitimateShare: 0.5, halfLifeMs: 1_000 });
    expect([weightAt(0), weightAt(1_000), weightAt(3_000)].map((weight) => weight.toFixed(12))).toEqual([
      '1.000000000000',
      '0.500000000000',
      '0.125000000000',
    ]);
  });
});

describe('training', () => {
  it('is refused under 200 frauds, and names what is missing', () => {
    const labels = Uint8Array.from({ length: 1_000 }, (_, row) => (row < 182 ? 1 : 0));
    expect(tooFewRows(labels)).toEqual({
      of: 'fraud',
      found: 182,
      needed: 200,
      detail:
        '182 rows are known frauds; 200 are needed, so 18 are missing. Take a longer history, label more of it, or import the labels of another system.',
    });
    expect(tooFewRows(new Uint8Array(300).fill(1))).toMatchObject({ of: 'legitimate', found: 0, needed: 200 });
  });

  it('takes 200 frauds, and is the same from any order of rows', () => {
    const random = prng(5);
    const rows = Array.from({ length: 6_000 }, () => {
      const amount = random() * 1_000;
      return [amount, random(), random() < amount / 5_000 ? 1 : 0] as const;
    });
    const result = (some: typeof rows): unknown => {
      const inputs = [0, 1].map((at) => ({ column: Float64Array.from(some, (row) => row[at]!) }));
      const table = { inputs, labels: Uint8Array.from(some, ([, , label]) => label) };
      expect(tooFewRows(table.labels)).toBeUndefined();
      return grown(table, { trees: 10 });
    };
    expect(result(rows.toReversed())).toEqual(result(rows));
  });
});
