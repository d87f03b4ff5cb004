import { dayMs, type Decimal, minuteMs, parseDecimal } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { maskPlace, putTime, shapeOf, timeIn } from '../../../src/features/store/row-shape.ts';
import { valueByHand } from '../by-hand.ts';
import { type BenchEvent, type BenchFeature, FeatureBench } from '../feature-bench.ts';

const beginMs = 1_760_000_000_000;

const specs: readonly BenchFeature[] = [
  { kind: 'count', overMs: dayMs },
  { kind: 'sum', of: 'amount', overMs: dayMs, perCurrency: true },
  { kind: 'min', of: 'amount', overMs: 30 * dayMs },
  { kind: 'max', of: 'int', overMs: dayMs },
  { kind: 'distinct', of: 'text', overMs: 5 * minuteMs },
  { kind: 'previous', of: 'amount', overMs: dayMs },
];

interface Brings {
  readonly amount?: string;
  readonly int?: number;
  readonly text?: string;
}

function eventOf({ amount, int, text }: Brings, at: number): BenchEvent {
  const atMs = beginMs + at * minuteMs;
  const money = amount === undefined ? undefined : (parseDecimal(amount) as Decimal);
  return { atMs, logTimeMs: atMs, amount: money, currency: 'MXN', text, int, counts: true };
}

/** Results, and those by hand, of twenty small events with this one after the tenth. */
function around(special: Brings): { bench: FeatureBench; engine: unknown[]; byHand: unknown[]; broadFrom: number } {
  const small = (at: number): Brings => ({ amount: `${at * 7}.${10 + at}`, int: at - 5, text: `payee ${at % 4}` });
  const brought = Array.from({ length: 20 }, (_, at) => (at === 10 ? { ...small(at), ...special } : small(at)));
  const history = brought.map(eventOf);
  const bench = new FeatureBench(specs);
  let broadFrom = -1;
  const engine = history.map((event, at) => {
    const values = bench.put(event);
    if (broadFrom < 0 && bench.entity!.shape.isBroad) broadFrom = at;
    return values;
  });
  const byHand = history.map((event, at) => specs.map((spec) => valueByHand(spec, history.slice(0, at), event)));
  return { bench, engine, byHand, broadFrom };
}

describe('rows', () => {
  it.each([
    { what: 'the largest amount of hundredths', special: { amount: '21474836.47' } },
    { what: 'the least one', special: { amount: '-21474836.48' } },
    { what: 'the largest whole number of 32 bits', special: { int: 2_147_483_647 } },
    { what: 'no values', special: { amount: undefined, int: undefined, text: undefined } as unknown as Brings },
  ])('stay narrow with $what', ({ special }) => {
    const { engine, byHand, broadFrom } = around(special);
    expect(engine).toEqual(byHand);
    expect(broadFrom).toBe(-1);
  });

  it.each([
    { what: 'one hundredth more', special: { amount: '21474836.48' } },
    { what: 'one less', special: { amount: '-21474836.49' } },
    { what: 'a thousandth', special: { amount: '0.125' } },
    { what: 'a whole number of 33 bits', special: { int: 2_147_483_648 } },
    { what: 'a time', special: { int: beginMs } },
  ])('become broad with $what', ({ special }) => {
    const { bench, engine, byHand, broadFrom } = around(special);
    expect(engine).toEqual(byHand);
    expect(broadFrom).toBe(10);
    const before = bench.bytes();
    bench.restart();
    expect(bench.entity!.shape.isBroad).toBe(true);
    expect(bench.bytes()).toEqual(before);
  });

  it('become broad with the 65,537th text, and all texts stay distinct', () => {
    const texts = 70_000;
    const bounds = { rowsMax: 100_000, exactBucketsMax: 64, distinctValuesMax: 100_000, sweepRowsMin: 64 };
    const bench = new FeatureBench([{ kind: 'distinct', of: 'text', overMs: 90 * dayMs }], bounds);
    let putCount = 0;
    const put = (text: number, isAsked: boolean): readonly unknown[] => {
      const atMs = beginMs + putCount++;
      return bench.put({ ...eventOf({ text: `text ${text}` }, 0), logTimeMs: atMs, atMs }, isAsked);
    };
    for (let at = 0; at < 65_536; at++) put(at, false);
    expect(bench.entity!.shape.isBroad).toBe(false);
    expect(put(65_536, true)).toEqual([65_537]);
    expect(bench.entity!.shape.isBroad).toBe(true);
    for (let at = 65_537; at < texts - 1; at++) put(at, false);
    expect(put(texts - 1, true)).toEqual([texts]);
    expect(put(0, true)).toEqual([texts]);
  });

  it('are as small as their contents allow', () => {
    const mask = maskPlace(16);
    const sizes = (columns: Parameters<typeof shapeOf>[0]): readonly number[] =>
      [false, true].map((isBroad) => shapeOf(columns, mask, isBroad).stride * 8);
    expect(sizes([])).toEqual([8, 8]);
    expect(sizes(['decimal', 'text', 'text'])).toEqual([16, 24]);
    expect(sizes(['text', 'int'])).toEqual([16, 24]);
    expect(sizes(['double', 'text'])).toEqual([24, 24]);
    expect(sizes(['text', 'decimal', 'int', 'text', 'text'])).toEqual([24, 40]);
  });

  it('can have any time of the years 2000 to 2099, and times before 1970', () => {
    const ints = new Int32Array(2);
    const times = [-1, -65_536, -65_537, 0, 65_535, 65_536, 946_684_800_000, beginMs + 12_345, 4_102_444_799_999];
    for (const atMs of times) {
      putTime(ints, 0, atMs);
      ints[0]! |= 0xffff;
      expect(timeIn(ints, 0)).toBe(atMs);
    }
  });
});
