import { dayMs, type Decimal, hourMs, minuteMs, secondMs } from '@ringfence/contract';
import fc from 'fast-check';
import { eventEarlyMsMax, eventLateMsMax } from '../../src/limits.ts';
import type { BenchEvent, BenchFeature } from './feature-bench.ts';

/** Money in micro-units; some values or sums exceed the safe integers, and some have more than six digits. */
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

/** Money is kept per currency or all together; whole numbers have no currency. */
function perCurrency<Spec extends BenchFeature>(spec: fc.Arbitrary<Spec>): fc.Arbitrary<BenchFeature> {
  return fc.tuple(spec, fc.boolean()).map(([one, kept]) => ({ ...one, perCurrency: kept && one.of === 'amount' }));
}

const filtered = fc.boolean();

function ofNumbers(kind: BenchFeature['kind']): fc.Arbitrary<BenchFeature> {
  return perCurrency(fc.record({ kind: fc.constant(kind), of: ofNumber, overMs, filtered }));
}

function ofValues(kind: BenchFeature['kind']): fc.Arbitrary<BenchFeature> {
  return fc.record({ kind: fc.constant(kind), of: ofAny, overMs, filtered });
}

/** Identifies features with separate names; a profile's mean and its deviation are read separately. */
export const byKind = {
  count: fc.record({ kind: fc.constant('count' as const), overMs, filtered }),
  sum: ofNumbers('sum'),
  avg: ofNumbers('avg'),
  min: ofNumbers('min'),
  max: ofNumbers('max'),
  distinct: ofValues('distinct'),
  firstSeen: fc.record({ kind: fc.constant('firstSeen' as const), filtered }),
  lastSeen: fc.record({ kind: fc.constant('lastSeen' as const), filtered }),
  stddev: ofNumbers('stddev'),
  median: ofNumbers('median'),
  percentile: perCurrency(
    fc.record({ kind: fc.constant('percentile' as const), of: ofNumber, overMs, atPermille: permille, filtered }),
  ),
  previous: perCurrency(fc.record({ kind: fc.constant('previous' as const), of: ofAny, overMs, filtered })),
  rate: fc.oneof(
    fc.record({ kind: fc.constant('rate' as const), overMs, perMs, filtered }),
    perCurrency(fc.record({ kind: fc.constant('rate' as const), of: ofNumber, overMs, perMs, filtered })),
  ),
  topShare: ofValues('topShare'),
  habit: ofValues('habit'),
  profile: perCurrency(fc.record({ kind: fc.constant('profile' as const), of: ofNumber, halfLifeMs, filtered })),
  deviation: perCurrency(
    fc.record({
      kind: fc.constant('profile' as const),
      asks: fc.constant('deviation' as const),
      of: ofNumber,
      halfLifeMs,
      filtered,
    }),
  ),
} satisfies Record<string, fc.Arbitrary<BenchFeature>>;

/** A feature of any kind, and maybe without the event itself. */
export const feature: fc.Arbitrary<BenchFeature> = fc
  .tuple(fc.oneof(...Object.values(byKind)), fc.boolean())
  .map(([spec, excludesThis]) => ({ ...spec, excludesThis }));

/** The same feature without the event itself. */
export function excluding(spec: BenchFeature): BenchFeature {
  return { ...spec, excludesThis: true };
}

export interface Draft {
  readonly gapMs: number;
  readonly lateMs: number;
  readonly event: Omit<BenchEvent, 'atMs' | 'logTimeMs'>;
  readonly restart: boolean;
}

/** One event of a history, relative to the one before. */
export const draft: fc.Arbitrary<Draft> = fc.record({
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

export function historyOf(drafts: readonly Draft[]): readonly BenchEvent[] {
  let logTimeMs = beginMs;
  return drafts.map(({ gapMs, lateMs, event }) => {
    logTimeMs += gapMs;
    return { ...event, logTimeMs, atMs: logTimeMs - lateMs };
  });
}
