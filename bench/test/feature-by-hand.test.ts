import { expect, it } from 'vitest';
import { entitiesOf, type FeatureByHand, valueByHand } from '../src/handbook/feature-by-hand.ts';
import { parseRows } from '../src/handbook/read-rows.ts';

/** One terminal; the last row asks. Seconds, amounts, frauds. */
function valueOf(known: readonly (readonly [number, number, 0 | 1])[], feature: Partial<FeatureByHand>): number {
  const lines = known.map(([atS, amount, fraud], at) => `${at},${1_000 + atS},1,7,${amount},${fraud},0`);
  const rows = parseRows(`tx_id,epoch_s,customer,terminal,amount,fraud,scenario\n${lines.join('\n')}\n`);
  const whole: FeatureByHand = { kind: 'count', by: 'terminal', overS: 100, ...feature };
  return valueByHand(rows, entitiesOf(rows, rows.terminal), { feature: whole, row: rows.count - 1 });
}

const paid = [
  [0, 1, 0],
  [10, 2, 0],
  [50, 4, 0],
  [100, 8, 0],
] as const;

it('a window leaves out its begin, and can leave out the row itself and larger amounts', () => {
  expect(valueOf(paid, { kind: 'count' })).toBe(3);
  expect(valueOf(paid, { kind: 'count', isWithoutThis: true })).toBe(2);
  expect(valueOf(paid, { kind: 'count', amountCentsMax: 400 })).toBe(2);
  expect(valueOf(paid, { kind: 'largest' })).toBe(8);
  expect(valueOf(paid, { kind: 'median' })).toBe(4);
  expect(valueOf(paid, { kind: 'median', isWithoutThis: true })).toBe(2);
  expect(valueOf(paid, { kind: 'average' })).toBe(4.666666666667);
  expect(valueOf(paid.slice(0, 1), { kind: 'average', isWithoutThis: true })).toBe(NaN);
});

it('a run of fraud ends at the newest legitimate row, with the fraud of the same second', () => {
  const known = [
    [0, 1, 0],
    [1, 1, 1],
    [2, 1, 0],
    [2, 1, 1],
    [3, 1, 1],
    [4, 1, 1],
    [6, 1, 1],
    [10, 1, 0],
  ] as const;
  const of = (kind: FeatureByHand['kind']): number => valueOf(known, { kind, afterS: 6 });
  expect(of('fraudRun')).toBe(2);
  expect(of('fraudRunAge')).toBe(7);
  expect(of('sinceFraud')).toBe(6);
  expect(of('sinceClear')).toBe(8);
  expect(of('fraudShare')).toBe(4 / 6);
});

it('without a row that is old enough, labels say nothing', () => {
  const of = (kind: FeatureByHand['kind']): number => valueOf(paid.slice(2), { kind, afterS: 60 });
  expect([of('fraudRun'), of('fraudRunAge'), of('sinceFraud'), of('sinceClear'), of('fraudShare')]).toEqual([
    0,
    NaN,
    NaN,
    NaN,
    NaN,
  ]);
});
