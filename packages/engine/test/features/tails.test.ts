/**
 * What tails remember from one question to the next: never anything but what a tail finds out that was read back just
 * now. How far they may be off is told in `crowded.test.ts`.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BucketTail } from '../../src/features/bucket-tail.ts';
import { CountsTail } from '../../src/features/counts-tail.ts';
import { DistinctTail } from '../../src/features/distinct-tail.ts';

/** Most rows come behind all others, some between them; rows and questions are more frequent than the rest. */
const move = fc.record({
  kind: fc.constantFrom('add', 'add', 'add', 'add', 'ask', 'ask', 'drop', 'merge'),
  lateMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat({ max: 90 }) }),
  overMs: fc.nat({ max: 80 }),
  value: fc.integer({ min: -5, max: 5 }),
});
const moves = fc.array(move, { minLength: 1, maxLength: 150, size: 'max' });
/** As if so much were newer that hundreds of rows may become one bucket. */
const manyNewer = 50_000;

it.each(['count', 'sum', 'max', 'min', 'stddev'] as const)('buckets of %s answer as if they were read anew', (kind) => {
  const of = { feature: 0, currency: -1, kind };
  const newer = {
    count: manyNewer,
    weight: kind === 'max' || kind === 'min' ? 3n : BigInt(manyNewer),
    moments: { count: manyNewer, sum: 0n, squares: BigInt(manyNewer) ** 2n },
  };
  fc.assert(
    fc.property(moves, (history) => {
      const tail = new BucketTail(of);
      history.forEach(({ kind: what, lateMs, overMs, value }, at) => {
        if (what === 'add') tail.add(at - lateMs, BigInt(value));
        else if (what === 'drop') tail.dropUntil(at - 2 * overMs);
        else if (what === 'merge') tail.merge(newer);
        const copy = new BucketTail(of);
        for (let index = 0; index < tail.buckets; index++) copy.append(tail.bucketAt(index));
        const window = [at - lateMs - overMs, at - lateMs] as const;
        const answersOf = (one: BucketTail): readonly unknown[] =>
          kind === 'stddev' ? [one.part(...window), one.moments(...window)] : [one.part(...window)];
        expect(answersOf(tail)).toEqual(answersOf(copy));
      });
    }),
    { seed: 7, numRuns: 200 },
  );
});

it('takes half of each bucket of a deviation that an end of the window cuts', () => {
  const tail = new BucketTail({ feature: 0, currency: -1, kind: 'stddev' });
  const bucket = { count: 4, amount: 8n, weight: 8n, squares: 20n };
  for (const fromMs of [1, 11, 21]) tail.append({ ...bucket, fromMs, toMs: fromMs + 8 });
  const momentsOf = (parts: bigint): object => ({ count: Number(parts) * 2, sum: parts * 4n, squares: parts * 10n });
  expect(tail.moments(0, 30)).toEqual(momentsOf(6n));
  expect(tail.moments(5, 30)).toEqual(momentsOf(5n));
  expect(tail.moments(5, 25)).toEqual(momentsOf(4n));
  expect(tail.moments(12, 15)).toEqual(momentsOf(1n));
  expect(tail.moments(9, 10)).toEqual(momentsOf(0n));
});

it.each(['spread', 'values'] as const)('counts of %s answer as if they were read anew', (kind) => {
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

it('different values are alone that no row covers, however they come and go', () => {
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
          // What becomes older than all rows was in one, and leaves it then.
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
