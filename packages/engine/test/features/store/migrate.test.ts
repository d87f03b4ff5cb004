import { dayMs, type Decimal, hourMs } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { valueByHand } from '../by-hand.ts';
import { type BenchEvent, type BenchFeature, FeatureBench } from '../feature-bench.ts';

const pool: readonly BenchFeature[] = [
  { kind: 'count', overMs: hourMs },
  { kind: 'count', overMs: dayMs, filtered: true },
  { kind: 'sum', of: 'amount', overMs: dayMs, perCurrency: true },
  { kind: 'avg', of: 'amount', overMs: 3 * dayMs, perCurrency: true },
  { kind: 'max', of: 'int', overMs: dayMs },
  { kind: 'sum', of: 'int', overMs: dayMs },
  { kind: 'distinct', of: 'text', overMs: dayMs },
  { kind: 'firstSeen' },
  { kind: 'lastSeen', filtered: true },
  { kind: 'median', of: 'amount', overMs: dayMs, perCurrency: true },
  { kind: 'percentile', of: 'int', overMs: dayMs, atPermille: 900 },
  { kind: 'previous', of: 'text', overMs: dayMs },
  { kind: 'rate', overMs: dayMs, perMs: hourMs },
  { kind: 'topShare', of: 'text', overMs: dayMs },
  { kind: 'habit', of: 'int', overMs: dayMs },
];

const event = fc.record({
  gapMs: fc.integer({ min: 0, max: 3 * hourMs }),
  amount: fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.bigInt({ min: 0n, max: 10n ** 30n })),
  currency: fc.constantFrom('EUR', 'MXN'),
  text: fc.constantFrom('a', 'b', 'c'),
  int: fc.integer({ min: -9, max: 9 }),
  counts: fc.boolean(),
});

/** Sections of a history, each under its own policy. */
const reigns = fc.array(
  fc.record({ policy: fc.subarray([...pool], { minLength: 1 }), events: fc.array(event, { maxLength: 12 }) }),
  { minLength: 2, maxLength: 6 },
);

describe('a new policy', () => {
  it('keeps the state of shared features, and begins all others empty, even returning ones', () => {
    fc.assert(
      fc.property(reigns, (history) => {
        const bench = new FeatureBench(history[0]!.policy);
        const seen: BenchEvent[] = [];
        /** How many events each feature in force has not seen. */
        const since = new Map<BenchFeature, number>();
        let logTimeMs = 1_760_000_000_000;
        for (const { policy, events } of history) {
          bench.change(policy);
          for (const spec of pool) if (!policy.includes(spec)) since.delete(spec);
          for (const spec of policy) if (!since.has(spec)) since.set(spec, seen.length);
          for (const { gapMs, amount, ...rest } of events) {
            logTimeMs += gapMs;
            const now = { ...rest, amount: amount as Decimal, logTimeMs, atMs: logTimeMs };
            expect(bench.put(now)).toEqual(policy.map((spec) => valueByHand(spec, seen.slice(since.get(spec)), now)));
            seen.push(now);
          }
          bench.restart();
        }
      }),
      { seed: 1, numRuns: 500 },
    );
  });
});
