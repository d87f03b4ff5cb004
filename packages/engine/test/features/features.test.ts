import { formatDecimal, minuteMs } from '@ringfence/contract';
import { exactRows, type FactValue, featureExactness, featureKinds } from '@ringfence/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowsMax } from '../../src/limits.ts';
import { fillRatio } from '../../src/features/window/ratio.ts';
import { answersOf, differing } from './answers.ts';
import { byKind, draft, excluding, feature, historyOf } from './arbitrary-features.ts';
import { type BenchFeature, FeatureBench } from './feature-bench.ts';

/**
 * Number of runs over long histories: a few by default, 10,000 with RINGFENCE_PROPERTY_RUNS=10000 (see
 * docs/decisions/0136).
 */
const runs = Number(process.env['RINGFENCE_PROPERTY_RUNS'] ?? 60);

/** Short enough for 10,000 runs, long enough that windows end, profiles begin again and events come late. */
const shortHistory = fc.array(draft, { minLength: 1, maxLength: 9, size: 'max' });

const longHistory = fc.array(
  draft.map((one) => ({ ...one, gapMs: Math.floor(one.gapMs / 16), restart: false })),
  { minLength: 100, maxLength: 300, size: 'max' },
);

describe('every kind of feature', () => {
  it('has its exactness documented in the reference, with the number of rows kept', () => {
    expect(exactRows).toBe(rowsMax);
    expect(featureExactness.flatMap(([kinds]) => kinds).toSorted()).toEqual([...featureKinds].toSorted());
  });

  it('is tested here, or has its own properties', () => {
    // Those over labels are tested in deciding/labels.test.ts, the ratio below.
    const elsewhere = ['fraudShare', 'fraudRun', 'fraudRunAge', 'sinceFraud', 'sinceClear', 'ratio'];
    expect(new Set([...Object.keys(byKind), ...elsewhere])).toEqual(new Set([...featureKinds, 'deviation']));
  });

  it('equals its computation by hand in 10,000 short histories, with one feature of each kind', () => {
    fc.assert(
      fc.property(fc.tuple(...Object.values(byKind)), shortHistory, (specs, drafts) => {
        expect(differing(specs, answersOf(specs, drafts))).toEqual([]);
      }),
      { seed: 6, numRuns: 10_000 },
    );
  });

  it('equals its computation by hand without the event itself, beside the same feature with it', () => {
    fc.assert(
      fc.property(fc.tuple(...Object.values(byKind)), shortHistory, (specs, drafts) => {
        const both = [...specs, ...specs.map(excluding)];
        expect(differing(both, answersOf(both, drafts))).toEqual([]);
      }),
      { seed: 8, numRuns: 2_000 },
    );
  });

  it('has a ratio that equals its computation by hand, 10,000 times', () => {
    const parts: fc.Arbitrary<BenchFeature[]> = fc.tuple(byKind.sum, fc.oneof(byKind.sum, byKind.count));
    fc.assert(
      fc.property(parts, shortHistory, (specs, drafts) => {
        const answers = answersOf(specs, drafts);
        const [of, to] = specs.map(({ of: fact }, slot) => ({
          name: `feature${slot}`,
          slot,
          type: fact === 'amount' ? ('decimal' as const) : ('int' as const),
        }));
        const ratios = answers.engine.map((values) => {
          const facts = [...values, 'not yet'];
          fillRatio({ name: 'ratio', slot: 2, of: of!, to: to! }, facts);
          return facts[2] as number | undefined;
        });
        const byHand = answers.byHand.map(ratioByHand);
        const isSame = (ratio: number | undefined, row: number): boolean =>
          ratio === byHand[row] || Math.abs(ratio! - byHand[row]!) <= Math.abs(byHand[row]!) * 1e-12;
        expect(ratios.every(isSame)).toBe(true);
      }),
      { seed: 7, numRuns: 10_000 },
    );
  });
});

function ratioByHand(parts: readonly FactValue[]): number | undefined {
  const [above, below] = parts.map((part) => Number(typeof part === 'bigint' ? formatDecimal(part) : part));
  return parts.includes(undefined) || below === 0 ? undefined : above! / below!;
}

describe('features', () => {
  it.each(Object.keys(byKind) as (keyof typeof byKind)[])(
    '%s alone equals its computation by hand, at any distance of events',
    (kind) => {
      fc.assert(
        fc.property(byKind[kind], fc.array(draft, { minLength: 1, maxLength: 80, size: 'max' }), (spec, drafts) => {
          expect(differing([spec], answersOf([spec], drafts))).toEqual([]);
        }),
        { seed: 4, numRuns: runs },
      );
    },
    3_600_000,
  );

  it('equal their computation by hand, however late the events, and through restarts', () => {
    fc.assert(
      fc.property(
        fc.array(feature, { minLength: 1, maxLength: 6 }),
        fc.array(draft, { maxLength: 40 }),
        (specs, drafts) => {
          expect(differing(specs, answersOf(specs, drafts))).toEqual([]);
        },
      ),
      { seed: 1, numRuns: 3_000 },
    );
  });

  it('equal their computation by hand with many rows and moving windows', () => {
    fc.assert(
      fc.property(fc.array(feature, { minLength: 4, maxLength: 8 }), longHistory, (specs, drafts) => {
        expect(differing(specs, answersOf(specs, drafts))).toEqual([]);
      }),
      { seed: 2, numRuns: 100 },
    );
  });

  it('equal their computation by hand with and without the event itself, with many rows and moving windows', () => {
    fc.assert(
      fc.property(fc.array(feature, { minLength: 2, maxLength: 5 }), longHistory, (specs, drafts) => {
        const both = [...specs.map((spec) => ({ ...spec, excludesThis: false })), ...specs.map(excluding)];
        expect(differing(both, answersOf(both, drafts))).toEqual([]);
      }),
      { seed: 9, numRuns: 60 },
    );
  });

  it('store the same with and without the event itself, also in crowded entities', () => {
    const few = { rowsMax: 24, exactBucketsMax: 8, distinctValuesMax: 8, sweepRowsMin: 4 };
    fc.assert(
      fc.property(fc.array(feature, { minLength: 1, maxLength: 4 }), longHistory, (some, drafts) => {
        const specs = some.map((spec) => ({ ...spec, excludesThis: false }));
        const [plain, both] = [specs, [...specs, ...specs.map(excluding)]].map((all) => new FeatureBench(all, few));
        for (const event of historyOf(drafts)) {
          const values = plain!.put(event);
          expect(both!.put(event).slice(0, specs.length)).toEqual(values);
        }
        expect(both!.bytes()).toEqual(plain!.bytes());
      }),
      { seed: 10, numRuns: 60 },
    );
  });

  it('are the same beyond 32 in a group, where the mask of a row takes more words', () => {
    const specs = Array.from({ length: 70 }, (_, index): BenchFeature => ({
      kind: 'sum',
      of: 'int',
      overMs: (index + 1) * minuteMs,
      filtered: index % 3 === 0,
    }));
    fc.assert(
      fc.property(fc.array(draft, { minLength: 60, maxLength: 90 }), (drafts) => {
        expect(differing(specs, answersOf(specs, drafts))).toEqual([]);
      }),
      { seed: 3, numRuns: 10 },
    );
  });
});
