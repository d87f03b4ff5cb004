import { describe, expect, it } from 'vitest';
import { isKept, rowWeight } from '../../src/training/sampling.ts';
import { train, tooFewRows } from '../../src/training/train.ts';
import { type TrainingRow, TrainingRows } from '../../src/training/training-rows.ts';
import { prng } from '../prng.ts';

function rowsOf(count: number): readonly TrainingRow[] {
  const random = prng(5);
  return Array.from({ length: count }, (_, index) => {
    const amount = random() * 1_000;
    return { values: [amount, random()], fraud: random() < amount / 10_000, identity: `event-${index}`, ageMs: index };
  });
}

function collected(rows: readonly TrainingRow[], legitimateShare: number): TrainingRows {
  const all = new TrainingRows(2, { legitimateShare });
  for (const row of rows) all.add(row);
  return all;
}

describe('the sample', () => {
  it('keeps all frauds, and of the legitimate rows about the share, weighted back to all', () => {
    const rows = rowsOf(40_000);
    const { counts, ...all } = { counts: collected(rows, 0.1).counts, ...collected(rows, 0.1).table() };
    expect(counts.frauds + counts.legitimate).toBe(40_000);
    expect(counts.keptLegitimate / counts.legitimate).toBeCloseTo(0.1, 2);
    expect(all.labels.reduce((sum, label) => sum + label, 0)).toBe(counts.frauds);
    const weight = all.weights.reduce((sum, own) => sum + own, 0);
    expect(weight).toBeCloseTo(counts.frauds + counts.keptLegitimate * 10, 6);
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
    const result = train({ inputs: [{ column: new Float64Array(1_000) }], labels });
    expect(result).toEqual({
      kind: 'refused',
      of: 'fraud',
      found: 182,
      needed: 200,
      detail:
        '182 rows are known frauds; 200 are needed, so 18 are missing. Take a longer history, label more of it, or import the labels of another system.',
    });
    expect(tooFewRows(new Uint8Array(300).fill(1))).toMatchObject({ of: 'legitimate', found: 0, needed: 200 });
  });

  it('takes 200 frauds, is the same from any order of rows, and says when it was cancelled', () => {
    const rows = rowsOf(6_000);
    const result = (some: readonly TrainingRow[]): unknown => {
      const { columns, labels, weights } = collected(some, 0.3).table();
      const table = { inputs: columns.map((column) => ({ column })), labels, weights };
      expect(train(table, {}, () => false)).toEqual({ kind: 'cancelled' });
      return train(table, { trees: 10 });
    };
    expect(result(rows)).toMatchObject({ kind: 'trained' });
    expect(result(rows.toReversed())).toEqual(result(rows));
  });
});
