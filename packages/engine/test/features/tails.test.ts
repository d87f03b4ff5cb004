/**
 * What tails cache between reads must never change a result: compares with tails that were just restored. The error
 * bounds are tested in `crowded.test.ts`.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BucketTail } from '../../src/features/tail/bucket-tail.ts';
import { CountsTail } from '../../src/features/tail/counts-tail.ts';
import { DistinctTail } from '../../src/features/tail/distinct-tail.ts';
import { nothing } from '../../src/features/window/moments.ts';
import { widened } from '../../src/features/window/ticks.ts';

/**
 * Most rows come after all others, some in between; adding rows and reading are more frequent than other operations.
 */
const move = fc.record({
  kind: fc.constantFrom('add', 'add', 'add', 'add', 'ask', 'ask', 'drop', 'merge'),
  lateMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 90 }) }),
  overMs: fc.nat({ max: 80 }),
  value: fc.integer({ min: -5, max: 5 }),
});
const moves = fc.array(move, { minLength: 1, maxLength: 150, size: 'max' });
/** Enough newer rows that hundreds of rows may be merged into one bucket. */
const manyNewer = 50_000;

const kinds = ['count', 'sum', 'max', 'min', 'stddev'] as const;
/** The kind of the values, and whether they later become too large or not a whole number of ticks. */
const values = [
  { column: 'int', becomes: 'nothing else' },
  { column: 'decimal', becomes: 'nothing else' },
  { column: 'int', becomes: 'too large' },
  { column: 'decimal', becomes: 'wide' },
] as const;

it.each(kinds.flatMap((kind) => (kind === 'count' ? values.slice(0, 1) : values).map((value) => ({ kind, ...value }))))(
  'buckets of $kind give the same results as restored ones: $column that becomes $becomes',
  ({ kind, column, becomes }) => {
    const of = { feature: 0, currency: -1, kind, column: kind === 'count' ? undefined : column };
    const newer = {
      count: manyNewer,
      ticks: kind === 'max' || kind === 'min' ? 3 : manyNewer,
      wide: undefined,
      moments: { count: manyNewer, sum: 0n, squares: BigInt(manyNewer) ** 2n },
    };
    const add = (tail: BucketTail, atMs: number, value: number): void => {
      if (value === 5 && becomes === 'wide') tail.addWide(atMs, 7n);
      else if (value === 5 && becomes === 'too large') tail.add(atMs, Number.MAX_SAFE_INTEGER);
      else tail.add(atMs, value);
    };
    const answersOf = (tail: BucketTail, edgeMs: number, nowMs: number): readonly unknown[] => {
      const { count, ticks, wide } = tail.part(edgeMs, nowMs);
      const amount = ticks === undefined ? wide : widened(column, ticks);
      return [count, amount, kind === 'stddev' ? tail.moments(edgeMs, nowMs) : undefined];
    };
    fc.assert(
      fc.property(moves, (history) => {
        const tail = new BucketTail(of);
        history.forEach(({ kind: what, lateMs, overMs, value }, at) => {
          if (what === 'add') add(tail, at - lateMs, value);
          else if (what === 'drop') tail.dropUntil(at - 2 * overMs);
          else if (what === 'merge') tail.merge(newer);
          const copy = new BucketTail(of);
          for (let index = 0; index < tail.buckets; index++) copy.append(tail.bucketAt(index));
          const window = [at - lateMs - overMs, at - lateMs] as const;
          expect(answersOf(tail, ...window)).toEqual(answersOf(copy, ...window));
        });
      }),
      { seed: 7, numRuns: 200 },
    );
  },
);

it.each(['sum', 'max', 'min'] as const)('buckets of %s give the same results in ticks and in bigints', (kind) => {
  const of = { feature: 0, currency: -1, kind, column: 'decimal' } as const;
  const newer = { count: manyNewer, ticks: kind === 'sum' ? 500 : 3, wide: undefined, moments: nothing };
  fc.assert(
    fc.property(moves, (history) => {
      const [inTicks, inBigints] = [new BucketTail(of), new BucketTail(of)];
      history.forEach(({ kind: what, lateMs, overMs, value }, at) => {
        if (what === 'add') {
          inTicks.add(at - lateMs, value);
          inBigints.addWide(at - lateMs, widened('decimal', value));
        }
        for (const tail of [inTicks, inBigints]) {
          if (what === 'drop') tail.dropUntil(at - 2 * overMs);
          if (what === 'merge') tail.merge(newer);
        }
        const bucketsOf = (tail: BucketTail): readonly unknown[] =>
          Array.from({ length: tail.buckets }, (_, index) => tail.bucketAt(index));
        expect(bucketsOf(inTicks)).toEqual(bucketsOf(inBigints));
        const window = [at - lateMs - overMs, at - lateMs] as const;
        const { count, ticks, wide } = inTicks.part(...window);
        const amount = ticks === undefined ? wide : widened('decimal', ticks);
        const wanted = inBigints.part(...window);
        expect([count, amount]).toEqual([wanted.count, wanted.wide]);
      });
    }),
    { seed: 10, numRuns: 200 },
  );
});

it('counts half of each bucket of a deviation that a window edge cuts', () => {
  const tail = new BucketTail({ feature: 0, currency: -1, kind: 'stddev', column: 'int' });
  const bucket = { count: 4, amount: 8n, weight: 8n, squares: 20n };
  for (const fromMs of [1, 11, 21]) tail.append({ ...bucket, fromMs, toMs: fromMs + 8 });
  const momentsOf = (parts: bigint): object => ({ count: Number(parts) * 2, sum: parts * 4n, squares: parts * 10n });
  expect(tail.moments(0, 30)).toEqual(momentsOf(6n));
  expect(tail.moments(5, 30)).toEqual(momentsOf(5n));
  expect(tail.moments(5, 25)).toEqual(momentsOf(4n));
  expect(tail.moments(12, 15)).toEqual(momentsOf(1n));
  expect(tail.moments(9, 10)).toEqual(momentsOf(0n));
});

it.each(['spread', 'values'] as const)('counts of %s give the same results as restored ones', (kind) => {
  const of = { feature: 0, currency: -1, kind };
  fc.assert(
    fc.property(moves, (history) => {
      const tail = new CountsTail(of);
      history.forEach(({ kind: what, lateMs, overMs, value }, at) => {
        if (what === 'add') tail.add(at - lateMs, value);
        else if (what === 'drop') tail.dropUntil(at - 2 * overMs);
        else if (what === 'merge') tail.merge(manyNewer);
        const copy = new CountsTail(of);
        for (const bucket of tail.buckets) copy.append(bucket);
        const window = [at - lateMs - overMs, at - lateMs] as const;
        const [part, wanted] = [tail.part(...window), copy.part(...window)];
        expect([part.weight, part.top, part.keys, part.upTo, tail.keys]).toEqual([
          wanted.weight,
          wanted.top,
          wanted.keys,
          wanted.upTo,
          copy.keys,
        ]);
      });
    }),
    { seed: 8, numRuns: 200 },
  );
});

it('distinct values that no row covers are alone, in whatever order they come and go', () => {
  fc.assert(
    fc.property(moves, (history) => {
      const tail = new DistinctTail();
      const lastMs = new Map<number, number>();
      const rows = new Set<number>();
      let keptMs = -Infinity;
      const covering = { covers: (number: number): boolean => rows.has(number) };
      history.forEach(({ kind, lateMs, overMs, value }, at) => {
        const number = value + 5;
        const asked: number[] = [];
        const wanted: number[] = [];
        if (kind === 'add' || kind === 'merge') {
          if (at - lateMs <= keptMs) return;
          // A value that becomes older than all rows was in one of them, and leaves it now.
          if (!rows.has(number)) tail.covered(number);
          rows.add(number);
          tail.add([[number, at - lateMs]]);
          lastMs.set(number, Math.max(at - lateMs, lastMs.get(number) ?? -Infinity));
          if (kind === 'add') {
            rows.delete(number);
            tail.uncovered(number);
          }
        } else if (kind === 'drop') {
          keptMs = Math.max(keptMs, at - overMs);
          tail.dropUntil(keptMs);
          for (const [each, eachMs] of lastMs) if (eachMs <= keptMs) lastMs.delete(each);
        } else {
          const edgeMs = at - overMs;
          asked.push(tail.alone(edgeMs, covering));
          wanted.push([...lastMs].filter(([each, eachMs]) => eachMs > edgeMs && !rows.has(each)).length);
        }
        expect(asked).toEqual(wanted);
        expect(tail.size).toBe(lastMs.size);
        expect([...tail.sightings()]).toEqual([...lastMs].toSorted(([a, aMs], [b, bMs]) => aMs - bMs || a - b));
      });
    }),
    { seed: 9, numRuns: 300 },
  );
});
