/**
 * Windows of similar features are scanned together. Goal: they give the same results as one by one, including after
 * rows have become tails, with moving windows, and with features added by a later policy.
 */
import { dayMs, hourMs, minuteMs } from '@ringfence/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { draft, historyOf } from './arbitrary-features.ts';
import { type BenchFeature, FeatureBench } from './feature-bench.ts';

const bounds = { rowsMax: 24, exactBucketsMax: 8, distinctValuesMax: 64, sweepRowsMin: 4 };
const overMs = fc.constantFrom(10 * minuteMs, hourMs, 5 * hourMs, dayMs, 10 * dayMs);

/** Of two kinds, so that most have a companion. */
const alike: fc.Arbitrary<BenchFeature> = fc.oneof(
  fc.record({ kind: fc.constant('count' as const), overMs, excludesThis: fc.boolean() }),
  fc.record({
    kind: fc.constantFrom('sum' as const, 'avg' as const, 'min' as const, 'max' as const),
    of: fc.constant('amount' as const),
    overMs,
    perCurrency: fc.boolean(),
    excludesThis: fc.boolean(),
  }),
);
const features = fc.array(alike, { minLength: 2, maxLength: 8 });
/** The initial features, and what a later policy adds. */
const policies = fc.tuple(features, features);
const history = fc.array(draft, { minLength: 1, maxLength: 150, size: 'max' });

describe('similar features', () => {
  it('give the same results together as one by one', () => {
    fc.assert(
      fc.property(policies, history, fc.constantFrom(undefined, bounds), ([first, added], drafts, small) => {
        const together = new FeatureBench(first, small);
        const apart = new FeatureBench(first, small, true);
        historyOf(drafts).forEach((event, index) => {
          for (const bench of [together, apart]) {
            if (index === drafts.length >>> 1) bench.change([...first, ...added]);
            if (drafts[index]!.restart) bench.restart();
          }
          expect(together.put(event)).toEqual(apart.put(event));
        });
      }),
      { numRuns: 200 },
    );
  });
});
