/**
 * Beyond the rows that an entity keeps. Goal: memory stays bounded and the error within what limits.ts states: for
 * events in order, half of `bucketShareMax` of what is newer than the window's edge. Bounds are small here, so that a
 * few thousand events are a crowd; the rule for merging buckets is the same.
 */
import { dayMs, type Decimal, hourMs, minuteMs } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketShareMax, movedShare } from '../../src/limits.ts';
import { draft, feature, historyOf } from './arbitrary-features.ts';
import { foldByHand, inWindow, valueByHand } from './by-hand.ts';
import { type BenchEvent, type BenchFeature, FeatureBench } from './feature-bench.ts';

const bounds = { rowsMax: 256, exactBucketsMax: 64, distinctValuesMax: 512, sweepRowsMin: 32 };
/** Maximum number of rows: some are added beyond the bound before they are moved together. */
const rowsAtMost = bounds.rowsMax * (1 + movedShare);
const beginMs = 1_760_000_000_000;
const cents = 10_000_000_000n;
/** An event without effect on the test, to read the features. */
const nothing = { amount: undefined, currency: undefined, text: undefined, int: undefined, counts: true };

interface Crowd {
  readonly seed: number;
  readonly gapMsMax: number;
  readonly values: number;
  readonly heavyTail: boolean;
}

const crowd: fc.Arbitrary<Crowd> = fc.record({
  seed: fc.nat(),
  gapMsMax: fc.constantFrom(20_000, 200_000),
  values: fc.constantFrom(3, 400),
  heavyTail: fc.boolean(),
});

/** 5,000 events of one entity, in order. */
function eventsOf({ seed, gapMsMax, values, heavyTail }: Crowd): readonly BenchEvent[] {
  let state = seed;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  let atMs = beginMs;
  return Array.from({ length: 5_000 }, () => {
    atMs += random(gapMsMax);
    const scale = heavyTail ? 10 ** random(6) : 1;
    const value = BigInt((1 + random(10_000)) * scale) * cents;
    return {
      atMs,
      logTimeMs: atMs,
      amount: value as Decimal,
      currency: 'EUR',
      text: `value ${random(values)}`,
      int: random(1_000),
      counts: random(10) === 0,
    };
  });
}

function countedIn(spec: BenchFeature, events: readonly BenchEvent[], now: BenchEvent): readonly BenchEvent[] {
  return inWindow(spec, events, now).filter((event) => spec.filtered !== true || event.counts);
}

/** Results are compared at intervals, because computing by hand takes long. */
const comparedEach = 97;

function errors(spec: BenchFeature, given: Crowd): readonly number[] {
  const bench = new FeatureBench([spec], bounds);
  const events = eventsOf(given);
  return events.flatMap((event, index) => {
    const [value] = bench.put(event);
    if (index % comparedEach !== 0) return [];
    if (index % (comparedEach * 5) === 0) bench.restart();
    const known = events.slice(0, spec.excludesThis === true ? index : index + 1);
    const exact = foldByHand(spec, countedIn(spec, known, event));
    if (Number(exact ?? 0) === 0) return value === exact ? [] : [Infinity];
    return [Math.abs(Number(value) - Number(exact)) / Math.abs(Number(exact))];
  });
}

type Compare = (value: unknown, before: readonly BenchEvent[], now: BenchEvent) => void;

function compareEach(spec: BenchFeature, given: Crowd, compare: Compare): void {
  const bench = new FeatureBench([spec], bounds);
  const events = eventsOf(given);
  events.forEach((event, index) => {
    const [value] = bench.put(event);
    if (index % (comparedEach * 5) === 0) bench.restart();
    if (index % comparedEach === 0) compare(value, events.slice(0, index), event);
  });
}

/** By what factor the size grows with twelve times as many events; the number of rows stays within its bound. */
function growth(specs: readonly BenchFeature[]): number {
  const bench = new FeatureBench(specs, bounds);
  const sizes = Array.from({ length: 12 }, (_, round) => {
    for (let index = 0; index < 2_000; index++) {
      const atMs = beginMs + (round * 2_000 + index) * 50_000;
      const amount = (BigInt(1 + ((index * 7_919) % 10_007)) * cents) as Decimal;
      bench.put({ atMs, logTimeMs: atMs, amount, currency: 'EUR', text: 'a', int: 1, counts: true });
    }
    expect(bench.entity!.rows).toBeLessThanOrEqual(rowsAtMost);
    return bench.bytes().length;
  });
  return sizes[11]! / sizes[0]!;
}

const windows = fc.constantFrom(2 * hourMs, dayMs, 4 * dayMs);

describe('beyond the rows that are kept', () => {
  it.each([
    ['count', bucketShareMax / 2, { kind: 'count' }],
    ['sum', bucketShareMax / 2, { kind: 'sum', of: 'amount', perCurrency: true }],
    ['sum of whole numbers', bucketShareMax / 2, { kind: 'sum', of: 'int' }],
    // A quotient of two numbers that may each be off by half the share.
    ['avg', bucketShareMax * 1.01, { kind: 'avg', of: 'amount', perCurrency: true }],
    ['max', bucketShareMax, { kind: 'max', of: 'amount' }],
    ['min', bucketShareMax, { kind: 'min', of: 'amount' }],
    ['a rare count', bucketShareMax / 2, { kind: 'count', filtered: true }],
    ['distinct', 0, { kind: 'distinct', of: 'text' }],
    ['stddev', bucketShareMax, { kind: 'stddev', of: 'amount', perCurrency: true }],
    ['stddev of whole numbers', bucketShareMax, { kind: 'stddev', of: 'int' }],
    ['rate', bucketShareMax / 2, { kind: 'rate', perMs: hourMs }],
    ['a sum without the event', bucketShareMax / 2, { kind: 'sum', of: 'int', excludesThis: true }],
    ['avg without the event', bucketShareMax * 1.01, { kind: 'avg', of: 'amount', excludesThis: true }],
    ['distinct without the event', 0, { kind: 'distinct', of: 'text', excludesThis: true }],
  ] as const)('%s is off by at most %d', (_, errorMax, spec) => {
    fc.assert(
      fc.property(crowd, windows, (given, overMs) => {
        expect(Math.max(...errors({ ...spec, overMs }, given))).toBeLessThanOrEqual(errorMax);
      }),
      { seed: 5, numRuns: 8 },
    );
  });

  it('a percentile is within 0.4 % of a number whose rank is off by at most half a percent', () => {
    fc.assert(
      fc.property(crowd, windows, fc.constantFrom(100, 500, 950, 999), (given, overMs, atPermille) => {
        const spec: BenchFeature = { kind: 'percentile', of: 'amount', atPermille, overMs, perCurrency: true };
        compareEach(spec, given, (value, before, now) => {
          const sorted = countedIn(spec, [...before, now], now)
            .map(({ amount }) => Number(amount))
            .toSorted((a, b) => a - b);
          const rankOff = (sorted.length * bucketShareMax) / 2 + 1;
          const rank = Math.ceil((atPermille * sorted.length) / 1_000);
          const lowest = sorted[Math.max(0, Math.floor(rank - rankOff) - 1)]!;
          const highest = sorted[Math.min(sorted.length, Math.ceil(rank + rankOff)) - 1]!;
          expect(Number(value)).toBeGreaterThanOrEqual(lowest * 0.996);
          expect(Number(value)).toBeLessThanOrEqual(highest * 1.004);
        });
      }),
      { seed: 5, numRuns: 8 },
    );
  });

  it.each([
    ['topShare', { kind: 'topShare', of: 'text' }],
    ['habit', { kind: 'habit', of: 'text' }],
  ] as const)('%s is off by less than 0.01', (_, spec) => {
    fc.assert(
      fc.property(crowd, windows, (given, overMs) => {
        compareEach({ ...spec, overMs }, given, (value, before, now) => {
          const exact = Number(valueByHand({ ...spec, overMs }, before, now) ?? 0);
          expect(Math.abs(Number(value ?? 0) - exact)).toBeLessThan(bucketShareMax);
        });
      }),
      { seed: 5, numRuns: 8 },
    );
  });

  it('previous stays exact, however rare its events', () => {
    fc.assert(
      fc.property(crowd, windows, fc.boolean(), (given, overMs, filtered) => {
        const spec: BenchFeature = { kind: 'previous', of: 'text', overMs, filtered };
        compareEach(spec, given, (value, before, now) => expect(value).toBe(valueByHand(spec, before, now)));
      }),
      { seed: 5, numRuns: 8 },
    );
  });

  it.each([
    ['count', { kind: 'count' }],
    ['sum', { kind: 'sum', of: 'amount', perCurrency: true }],
    ['max', { kind: 'max', of: 'amount' }],
    ['stddev', { kind: 'stddev', of: 'int' }],
    ['median', { kind: 'median', of: 'int' }],
    ['topShare', { kind: 'topShare', of: 'text' }],
    ['distinct', { kind: 'distinct', of: 'text' }],
  ] as const)('%s is exact for windows of up to the number of kept rows', (_, spec) => {
    const everyMs = 20_000;
    const whole = { ...spec, overMs: bounds.rowsMax * everyMs };
    const bench = new FeatureBench([whole], bounds);
    const events = eventsOf({ seed: 3, gapMsMax: 1, values: 30, heavyTail: false }).map((event, index) => {
      const atMs = beginMs + index * everyMs;
      return { ...event, atMs, logTimeMs: atMs };
    });
    const values = events.map((event) => Number(bench.put(event)[0]));
    for (let index = 2_000; index < events.length; index += 7) {
      const before = events.slice(index - bounds.rowsMax, index);
      const wanted = Number(valueByHand(whole, before, events[index]!));
      // Roots differ in their last digits.
      expect(Math.abs(values[index]! - wanted)).toBeLessThanOrEqual(wanted * Number.EPSILON);
    }
  });

  it('moves a few rows at a time, so that no event waits for long', () => {
    const bench = new FeatureBench([{ kind: 'sum', of: 'int', overMs: 30 * dayMs }], bounds);
    let before = 0;
    for (const event of eventsOf({ seed: 4, gapMsMax: 20_000, values: 3, heavyTail: false })) {
      bench.put(event);
      expect(bench.entity!.rows).toBeGreaterThan(before - bounds.rowsMax * movedShare);
      before = bench.entity!.rows;
    }
  });

  it('keeps no more rows if each of many currencies has a last one', () => {
    const bench = new FeatureBench([{ kind: 'previous', of: 'amount', perCurrency: true, overMs: 30 * dayMs }], bounds);
    for (let index = 0; index < 2_000; index++) {
      const atMs = beginMs + index * minuteMs;
      bench.put({ ...nothing, amount: cents as Decimal, currency: `C${index % 16}`, atMs, logTimeMs: atMs });
      expect(bench.entity!.rows).toBeLessThanOrEqual(rowsAtMost);
    }
  });

  it('ignores dropped rows in sums: a column becomes wide only because of present rows', () => {
    const bench = new FeatureBench([{ kind: 'sum', of: 'int', overMs: 30 * dayMs }], bounds);
    for (let index = 0; index < 5_000; index++) {
      const atMs = beginMs + index * minuteMs;
      bench.put({ ...nothing, int: Math.floor(Number.MAX_SAFE_INTEGER / rowsAtMost), atMs, logTimeMs: atMs });
    }
    expect(bench.entity!.wide).toEqual([]);
  });

  it('does not depend on restarts, late events, or whether features are read', () => {
    const few = { rowsMax: 64, exactBucketsMax: 16, distinctValuesMax: 8, sweepRowsMin: 4 };
    const drafts = fc.array(
      draft.map((one) => ({ ...one, gapMs: Math.floor(one.gapMs / 16) })),
      { minLength: 200, maxLength: 400, size: 'max' },
    );
    // Rows that `previous` keeps are older than those of all windows.
    const always: readonly BenchFeature[] = [
      { kind: 'distinct', of: 'text', overMs: dayMs },
      { kind: 'topShare', of: 'text', overMs: dayMs },
      { kind: 'previous', of: 'int', overMs: dayMs },
    ];
    fc.assert(
      fc.property(fc.array(feature, { minLength: 2, maxLength: 5 }), drafts, (specs, history) => {
        const benches = [1, 2].map(() => new FeatureBench([...always, ...specs], few));
        const [straight, restarted] = benches as [FeatureBench, FeatureBench];
        historyOf(history).forEach((one, index) => {
          const event = { ...one, text: one.text && `${one.text} ${one.atMs % 97}` };
          // In this run, the restart flags decide whose features are not read.
          const isAsked = !history[index]!.restart;
          expect(restarted.put(event, isAsked)).toEqual(straight.put(event, isAsked));
          if (index % 9 === 0) restarted.restart();
        });
        expect(restarted.bytes()).toEqual(straight.bytes());
      }),
      { seed: 6, numRuns: 100, endOnFailure: true },
    );
  });

  it('stays within its bounds, and the number of buckets grows with the logarithm of the events', () => {
    const specs: readonly BenchFeature[] = [
      { kind: 'sum', of: 'amount', overMs: 30 * dayMs },
      { kind: 'max', of: 'amount', overMs: 30 * dayMs },
      { kind: 'count', overMs: 30 * dayMs },
      { kind: 'stddev', of: 'amount', overMs: 30 * dayMs },
    ];
    // Twelve times as many events, and nearly the same size.
    expect(growth(specs)).toBeLessThan(2.5);
  });

  it('keeps counts by value; buckets grow with the logarithm, and each has a bounded number of values', () => {
    const specs: readonly BenchFeature[] = [
      { kind: 'median', of: 'amount', overMs: 30 * dayMs },
      { kind: 'topShare', of: 'amount', overMs: 30 * dayMs },
      { kind: 'previous', of: 'amount', overMs: 30 * dayMs, perCurrency: true },
    ];
    expect(growth(specs)).toBeLessThan(5);
  });

  it('samples distinct values when there are too many to keep', () => {
    const spec: BenchFeature = { kind: 'distinct', of: 'text', overMs: 30 * dayMs };
    const bench = new FeatureBench([spec], { ...bounds, rowsMax: 1_024, distinctValuesMax: 65_536 });
    const values = 120_000;
    let last: unknown;
    for (let index = 0; index < values; index++) {
      const atMs = beginMs + index * 1_000;
      [last] = bench.put({ ...nothing, text: `payee ${index}`, atMs, logTimeMs: atMs });
    }
    expect(Math.abs(Number(last) - values) / values).toBeLessThan(0.01);
    const kept = bench.entity!.distinctTails[0]!.size + bench.entity!.rows;
    expect(kept).toBeLessThanOrEqual(65_536 + 1_024);
  });

  it('drops texts that no window contains any more', () => {
    const bench = new FeatureBench([{ kind: 'distinct', of: 'text', overMs: minuteMs }], bounds);
    for (let index = 0; index < 20_000; index++) {
      const atMs = beginMs + index * hourMs;
      bench.put({ ...nothing, text: `value ${index}`, atMs, logTimeMs: atMs });
    }
    expect(bench.entity!.texts.count).toBeLessThan(4 * bounds.sweepRowsMin);
  });

  it('gives the same results after texts were renumbered', () => {
    const specs: readonly BenchFeature[] = [
      { kind: 'distinct', of: 'text', overMs: 2 * dayMs },
      { kind: 'topShare', of: 'text', overMs: 2 * dayMs },
      { kind: 'count', overMs: 30 * dayMs },
    ];
    const bench = new FeatureBench(specs, bounds);
    const restarted = new FeatureBench(specs, bounds);
    let texts = 0;
    let tidied = 0;
    for (let index = 0; index < 6_000; index++) {
      const atMs = beginMs + index * 10 * minuteMs;
      const event = { ...nothing, text: `value ${Math.floor(index / 2)}`, atMs, logTimeMs: atMs };
      expect(restarted.put(event)).toEqual(bench.put(event));
      if (index % 9 === 0) restarted.restart();
      if (bench.entity!.texts.count < texts) tidied++;
      texts = bench.entity!.texts.count;
    }
    expect(tidied).toBeGreaterThan(1);
  });

  it('equals a new entity once all its contents are too old', () => {
    const bench = new FeatureBench([{ kind: 'count', overMs: hourMs }], bounds);
    for (let index = 0; index < 1_000; index++) {
      const atMs = beginMs + index * 1_000;
      bench.put({ ...nothing, atMs, logTimeMs: atMs });
    }
    const laterMs = bench.entity!.expiresAtMs! + minuteMs;
    const late = { ...nothing, atMs: laterMs, logTimeMs: laterMs };
    const fresh = new FeatureBench([{ kind: 'count', overMs: hourMs }], bounds);
    expect(bench.put(late)).toEqual(fresh.put(late));
    expect(bench.bytes()).toEqual(fresh.bytes());
  });
});
