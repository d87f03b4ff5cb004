/**
 * What happens beyond the rows that an entity keeps. Goal: memory stays bounded and the error within what limits.ts
 * states: for events in order, half of `bucketShareMax` of what is newer than the window's edge. Bounds are small
 * here, so that a few thousand events are a crowd; the rule by which buckets merge is the same.
 */
import type { Decimal } from '@ringfence/contract';
import { dayMs, hourMs, minuteMs } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bucketShareMax } from '../../src/limits.ts';
import { foldByHand, inWindow, valueByHand } from './by-hand.ts';
import { type BenchEvent, type BenchFeature, FeatureBench } from './feature-bench.ts';

const bounds = { rowsMax: 256, exactBucketsMax: 64, distinctValuesMax: 512, sweepRowsMin: 32 };
const beginMs = 1_760_000_000_000;
const cents = 10_000_000_000n;
/** An event that is there, and no more. */
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

/** Every so many events the answers are compared: by hand it takes long. */
const comparedEach = 97;

function errors(spec: BenchFeature, given: Crowd): readonly number[] {
  const bench = new FeatureBench([spec], bounds);
  const events = eventsOf(given);
  return events.flatMap((event, index) => {
    const [value] = bench.put(event);
    if (index % comparedEach !== 0) return [];
    if (index % (comparedEach * 5) === 0) bench.restart();
    const exact = Number(foldByHand(spec, countedIn(spec, events.slice(0, index + 1), event)));
    return exact === 0 ? [] : [Math.abs(Number(value) - exact) / Math.abs(exact)];
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

/** How many times as many bytes it takes after twelve times as many events; the rows stay within their bound. */
function growth(specs: readonly BenchFeature[]): number {
  const bench = new FeatureBench(specs, bounds);
  const sizes = Array.from({ length: 12 }, (_, round) => {
    for (let index = 0; index < 5_000; index++) {
      const atMs = beginMs + (round * 5_000 + index) * 20_000;
      const amount = (BigInt(1 + ((index * 7_919) % 10_007)) * cents) as Decimal;
      bench.put({ atMs, logTimeMs: atMs, amount, currency: 'EUR', text: 'a', int: 1, counts: true });
    }
    expect(bench.entity!.rows).toBeLessThanOrEqual(bounds.rowsMax);
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
    // A quotient of two numbers that are each off by half the share.
    ['avg', bucketShareMax * 1.01, { kind: 'avg', of: 'amount', perCurrency: true }],
    ['max', bucketShareMax, { kind: 'max', of: 'amount' }],
    ['min', bucketShareMax, { kind: 'min', of: 'amount' }],
    ['a rare count', bucketShareMax / 2, { kind: 'count', filtered: true }],
    ['distinct', 0, { kind: 'distinct', of: 'text' }],
    ['stddev', bucketShareMax, { kind: 'stddev', of: 'amount', perCurrency: true }],
    ['stddev of whole numbers', bucketShareMax, { kind: 'stddev', of: 'int' }],
    ['rate', bucketShareMax / 2, { kind: 'rate', perMs: hourMs }],
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

  it('previous stays exact, however rare the events that it is about', () => {
    fc.assert(
      fc.property(crowd, windows, fc.boolean(), (given, overMs, filtered) => {
        const spec: BenchFeature = { kind: 'previous', of: 'text', overMs, filtered };
        compareEach(spec, given, (value, before, now) => expect(value).toBe(valueByHand(spec, before, now)));
      }),
      { seed: 5, numRuns: 8 },
    );
  });

  it('keeps no more than its bounds, and buckets by the logarithm', () => {
    const specs: readonly BenchFeature[] = [
      { kind: 'sum', of: 'amount', overMs: 30 * dayMs },
      { kind: 'max', of: 'amount', overMs: 30 * dayMs },
      { kind: 'count', overMs: 30 * dayMs },
      { kind: 'stddev', of: 'amount', overMs: 30 * dayMs },
    ];
    // Twelve times as many events, and nearly the same bytes.
    expect(growth(specs)).toBeLessThan(2.5);
  });

  it('keeps counts by value, whose buckets grow with the logarithm and hold so many values at most', () => {
    const specs: readonly BenchFeature[] = [
      { kind: 'median', of: 'amount', overMs: 30 * dayMs },
      { kind: 'topShare', of: 'amount', overMs: 30 * dayMs },
      { kind: 'previous', of: 'amount', overMs: 30 * dayMs, perCurrency: true },
    ];
    expect(growth(specs)).toBeLessThan(5);
  });

  it('samples distinct values when they are too many to keep', () => {
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

  it('forgets texts that no window holds any more', () => {
    const bench = new FeatureBench([{ kind: 'distinct', of: 'text', overMs: minuteMs }], bounds);
    for (let index = 0; index < 20_000; index++) {
      const atMs = beginMs + index * hourMs;
      bench.put({ ...nothing, text: `value ${index}`, atMs, logTimeMs: atMs });
    }
    expect(bench.entity!.texts.count).toBeLessThan(4 * bounds.sweepRowsMin);
  });

  it('is as new once all that it kept is too old', () => {
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
