import { dayMs, type Decimal, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import type { FactValue } from '@ringfence/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventEarlyMsMax, eventLateMsMax } from '../../src/limits.ts';
import { valueByHand } from './by-hand.ts';
import { type BenchEvent, type BenchFeature, FeatureBench } from './feature-bench.ts';

/** Micro-units of money; some leave the safe integers, alone or together, and some have more digits than six. */
const amount = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.integer({ min: -50_000, max: 5_000_000 }).map((cents) => BigInt(cents) * 10_000_000_000n),
  },
  { weight: 1, arbitrary: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }) },
  { weight: 1, arbitrary: fc.bigInt({ min: 4n * 10n ** 15n, max: 9n * 10n ** 15n }).map((micro) => micro * 10n ** 6n) },
) as fc.Arbitrary<Decimal>;

const overMs = fc.constantFrom(minuteMs, hourMs, 5 * hourMs, dayMs, 3 * dayMs, 30 * dayMs);

const ofNumber = fc.constantFrom('amount' as const, 'int' as const);
const ofAny = fc.constantFrom('text' as const, 'int' as const, 'amount' as const);
const permille = fc.integer({ min: 1, max: 999 });
const perMs = fc.constantFrom(secondMs, minuteMs, hourMs);
const halfLifeMs = fc.constantFrom(hourMs, dayMs, 30 * dayMs);

/** Money is kept per currency or all together; whole numbers have none. */
function perCurrency<Spec extends BenchFeature>(spec: fc.Arbitrary<Spec>): fc.Arbitrary<BenchFeature> {
  return fc.tuple(spec, fc.boolean()).map(([one, kept]) => ({ ...one, perCurrency: kept && one.of === 'amount' }));
}

const newKinds = {
  stddev: perCurrency(
    fc.record({ kind: fc.constant('stddev' as const), of: ofNumber, overMs, filtered: fc.boolean() }),
  ),
  median: perCurrency(
    fc.record({ kind: fc.constant('median' as const), of: ofNumber, overMs, filtered: fc.boolean() }),
  ),
  percentile: perCurrency(
    fc.record({
      kind: fc.constant('percentile' as const),
      of: ofNumber,
      overMs,
      atPermille: permille,
      filtered: fc.boolean(),
    }),
  ),
  previous: perCurrency(
    fc.record({ kind: fc.constant('previous' as const), of: ofAny, overMs, filtered: fc.boolean() }),
  ),
  rate: fc.oneof(
    fc.record({ kind: fc.constant('rate' as const), overMs, perMs, filtered: fc.boolean() }),
    perCurrency(fc.record({ kind: fc.constant('rate' as const), of: ofNumber, overMs, perMs, filtered: fc.boolean() })),
  ),
  topShare: fc.record({ kind: fc.constant('topShare' as const), of: ofAny, overMs, filtered: fc.boolean() }),
  habit: fc.record({ kind: fc.constant('habit' as const), of: ofAny, overMs, filtered: fc.boolean() }),
  profile: perCurrency(
    fc.record({ kind: fc.constant('profile' as const), of: ofNumber, halfLifeMs, filtered: fc.boolean() }),
  ),
} satisfies Partial<Record<BenchFeature['kind'], fc.Arbitrary<BenchFeature>>>;

const newKind = fc.oneof(...Object.values(newKinds));

const feature: fc.Arbitrary<BenchFeature> = fc.oneof(
  fc.record({ kind: fc.constant('count' as const), overMs, filtered: fc.boolean() }),
  fc.record({
    kind: fc.constantFrom('sum' as const, 'avg' as const, 'min' as const, 'max' as const),
    of: fc.constant('amount' as const),
    overMs,
    perCurrency: fc.boolean(),
    filtered: fc.boolean(),
  }),
  fc.record({
    kind: fc.constantFrom('sum' as const, 'avg' as const, 'min' as const, 'max' as const),
    of: fc.constant('int' as const),
    overMs,
    filtered: fc.boolean(),
  }),
  fc.record({
    kind: fc.constant('distinct' as const),
    of: fc.constantFrom('text' as const, 'int' as const, 'amount' as const),
    overMs,
    filtered: fc.boolean(),
  }),
  fc.record({ kind: fc.constantFrom('firstSeen' as const, 'lastSeen' as const), filtered: fc.boolean() }),
  newKind,
);

function ofKind(kind: BenchFeature['kind']): fc.Arbitrary<BenchFeature> {
  return feature.filter((spec) => spec.kind === kind);
}

const byKind = {
  count: ofKind('count'),
  sum: ofKind('sum'),
  avg: ofKind('avg'),
  min: ofKind('min'),
  max: ofKind('max'),
  distinct: ofKind('distinct'),
  firstSeen: ofKind('firstSeen'),
  lastSeen: ofKind('lastSeen'),
  ...newKinds,
} as const;

interface Draft {
  readonly gapMs: number;
  readonly lateMs: number;
  readonly event: Omit<BenchEvent, 'atMs' | 'logTimeMs'>;
  readonly restart: boolean;
}

const draft: fc.Arbitrary<Draft> = fc.record({
  gapMs: fc.oneof(fc.integer({ min: 0, max: minuteMs }), fc.integer({ min: 0, max: 8 * hourMs })),
  lateMs: fc.oneof(
    { weight: 4, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: -eventEarlyMsMax, max: minuteMs }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: eventLateMsMax }) },
  ),
  event: fc.record({
    amount: fc.option(amount, { nil: undefined, freq: 8 }),
    currency: fc.option(fc.constantFrom('EUR', 'MXN'), { nil: undefined, freq: 6 }),
    text: fc.option(fc.constantFrom('a', 'b', 'c', 'ñ', '日本'), { nil: undefined, freq: 8 }),
    int: fc.option(fc.integer({ min: -9, max: 9 }), { nil: undefined, freq: 8 }),
    counts: fc.boolean(),
  }),
  restart: fc.boolean(),
});

const beginMs = 1_760_000_000_000;

function historyOf(drafts: readonly Draft[]): readonly BenchEvent[] {
  let logTimeMs = beginMs;
  return drafts.map(({ gapMs, lateMs, event }) => {
    logTimeMs += gapMs;
    return { ...event, logTimeMs, atMs: logTimeMs - lateMs };
  });
}

/** How far the last digits of a root, or of a sum of doubles, may lie apart. */
const roundings = 1e-12;
const roundedKinds: ReadonlySet<BenchFeature['kind']> = new Set(['stddev', 'profile']);

/** The engine's answers; those that differ in the last digits of a double only as they are by hand. */
function rounded(
  specs: readonly BenchFeature[],
  { engine, byHand }: { readonly engine: readonly Answers[]; readonly byHand: readonly Answers[] },
): readonly Answers[] {
  const largest = specs.map((_, at) => Math.max(0, ...byHand.map((values) => Math.abs(Number(values[at] ?? 0)))));
  return engine.map((values, row) =>
    values.map((value, at) => {
      const wanted = byHand[row]![at];
      if (!roundedKinds.has(specs[at]!.kind) || value === undefined || wanted === undefined) return value;
      return Math.abs(Number(value) - Number(wanted)) <= largest[at]! * roundings ? wanted : value;
    }),
  );
}

type Answers = readonly FactValue[];

/** Every answer of a history, by the engine and by hand. */
function answersOf(
  specs: readonly BenchFeature[],
  drafts: readonly Draft[],
): { engine: readonly Answers[]; byHand: readonly Answers[] } {
  const bench = new FeatureBench(specs);
  const history = historyOf(drafts);
  const engine = history.map((event, index) => {
    const values = bench.put(event);
    if (drafts[index]!.restart) bench.restart();
    return values;
  });
  const byHand = history.map((event, index) => specs.map((spec) => valueByHand(spec, history.slice(0, index), event)));
  return { engine, byHand };
}

/** Runs of each kind: a few here, 10,000 for RINGFENCE_PROPERTY_RUNS=10000 (see docs/decisions/0136). */
const runs = Number(process.env['RINGFENCE_PROPERTY_RUNS'] ?? 60);

describe('features', () => {
  it.each(Object.keys(byKind) as (keyof typeof byKind)[])(
    '%s alone is what one gets by hand, at any distance of events',
    (kind) => {
      fc.assert(
        fc.property(byKind[kind], fc.array(draft, { minLength: 1, maxLength: 80, size: 'max' }), (spec, drafts) => {
          const answers = answersOf([spec], drafts);
          expect(rounded([spec], answers)).toEqual(answers.byHand);
        }),
        { seed: 4, numRuns: runs },
      );
    },
    3_600_000,
  );

  it('are what one gets by hand, however late the events, and through restarts', () => {
    fc.assert(
      fc.property(
        fc.array(feature, { minLength: 1, maxLength: 6 }),
        fc.array(draft, { maxLength: 40 }),
        (specs, drafts) => {
          const answers = answersOf(specs, drafts);
          expect(rounded(specs, answers)).toEqual(answers.byHand);
        },
      ),
      { seed: 1, numRuns: 3_000 },
    );
  });

  it('are what one gets by hand where rows are many and windows move by cursors', () => {
    fc.assert(
      fc.property(
        fc.array(feature, { minLength: 4, maxLength: 8 }),
        fc.array(
          draft.map((one) => ({ ...one, gapMs: one.gapMs / 16, restart: false })),
          { minLength: 100, maxLength: 300, size: 'max' },
        ),
        (specs, drafts) => {
          const answers = answersOf(specs, drafts);
          expect(rounded(specs, answers)).toEqual(answers.byHand);
        },
      ),
      { seed: 2, numRuns: 100 },
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
        const answers = answersOf(specs, drafts);
        expect(rounded(specs, answers)).toEqual(answers.byHand);
      }),
      { seed: 3, numRuns: 10 },
    );
  });
});
