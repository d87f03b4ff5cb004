import { type Decimal, decimalOne, divideDecimal, unreachable } from '@ringfence/contract';
import type { Feature, FactValue } from '@ringfence/policy';
import { deviationOf } from './window/deviation.ts';
import type { Window } from './window/moving-window.ts';
import { previousOf } from './window/previous.ts';
import { counts } from './store/rows.ts';
import type { FeatureEntity } from './store/feature-entity.ts';
import type { LayoutFeature } from './store/layout.ts';
import type { ColumnKind } from './store/row-shape.ts';
import { percentileOf } from './window/spread.ts';
import type { Tally } from './window/scratch.ts';
import { newestClearMs } from './window/newest-clear.ts';
import { tallyOf } from './window/tally.ts';
import { averageOfTicks, averageOfWide, factOfTicks, factOfWide } from './window/ticks.ts';
import { shareOf, topShareOf } from './window/value-shares.ts';

/** A feature of the policy, and where its state is kept. */
export interface PlacedFeature {
  readonly feature: Feature;
  /** Its index in the layout. */
  readonly index: number;
  /** Kind of its column; `undefined` for features that read no value. */
  readonly column: ColumnKind | undefined;
  /** Whether it leaves out the event, and is read before the event is added. */
  readonly isOfBefore: boolean;
  /** Whether its values are clients, by subject id. */
  readonly isOfSubject: boolean;
}

const ofBefore: ReadonlySet<Feature['kind']> = new Set(['lastSeen', 'previous', 'habit', 'profile']);

export function isOfBefore({ kind, excludesThis }: Feature): boolean {
  return excludesThis || ofBefore.has(kind);
}

/** The value of a feature about an unknown entity: counts and sums are 0, everything else is missing. */
export function readNothing(feature: Feature): FactValue {
  if (feature.kind === 'count' || feature.kind === 'distinct' || feature.kind === 'fraudRun') return 0;
  if (feature.kind !== 'sum' && feature.kind !== 'rate') return undefined;
  return feature.type === 'decimal' ? (0n as Decimal) : 0;
}

/** The window to read and, for `habit`, the value whose share is wanted. */
export interface Question extends Window {
  value: string | undefined;
}

/**
 * The value of a feature over `(nowMs - over, nowMs]`. Features that leave out the event (`isOfBefore`) are read before
 * its own row is added, all others after.
 */
export function readFeature(entity: FeatureEntity, placed: PlacedFeature, window: Question): FactValue {
  const { feature, index } = placed;
  const place = entity.layout.features[index]!;
  switch (feature.kind) {
    case 'firstSeen':
      return sinceMs(feature, entity.scalar(place.scalar), window.nowMs);
    case 'lastSeen':
      return sinceMs(feature, lastSeenMs(entity, place, window.nowMs), window.nowMs);
    case 'count':
    case 'sum':
    case 'min':
    case 'max':
    case 'avg':
    case 'rate':
      return talliedValue(placed, tallyOf(entity, index, window));
    case 'distinct':
      return tallyOf(entity, index, window).count * (1 << samplingOf(entity, place));
    case 'stddev':
      return deviationOf(entity, { index, column: placed.column! }, window);
    case 'median':
    case 'percentile':
      return percentileOf(entity, { index, column: placed.column!, atPermille: feature.atPermille! }, window);
    case 'previous':
      return previousOf(entity, { feature, index, column: placed.column! }, window);
    case 'topShare':
      return topShareOf(entity, index, window);
    case 'habit':
      return habitOf(entity, index, window);
    case 'fraudShare':
      return fraudShareOf(entity, index, window);
    case 'fraudRun':
    case 'fraudRunAge':
    case 'sinceFraud':
    case 'sinceClear':
      return ofLabels(entity, placed, window);
    case 'profile':
      return entity.profiles[index]?.find(window.currency, window.nowMs)?.mean;
    default:
      return unreachable(feature.kind);
  }
}

/** Features that are computed from a tally of their window. */
export const tallied: ReadonlySet<Feature['kind']> = new Set(['count', 'sum', 'min', 'max', 'avg', 'rate']);

/** The value of such a feature. */
export function talliedValue(placed: PlacedFeature, tally: Tally): FactValue {
  const { kind } = placed.feature;
  if (kind === 'count') return tally.count;
  return kind === 'rate' ? rateOf(placed, tally) : amountOf(placed, tally);
}

/** How many times the sample of a crowded distinct count was halved. */
export function samplingOf(entity: FeatureEntity, place: LayoutFeature): number {
  const sampling = entity.scalar(place.scalar);
  return Number.isNaN(sampling) ? 0 : sampling;
}

function sinceMs(feature: Feature, atMs: number, nowMs: number): FactValue {
  if (Number.isNaN(atMs)) return undefined;
  return feature.type === 'timestamp' ? atMs : Math.max(0, nowMs - atMs);
}

/** The last time that is not later than `nowMs`. NaN if there is none, or it is forgotten. */
function lastSeenMs(entity: FeatureEntity, place: LayoutFeature, nowMs: number): number {
  const lastMs = entity.scalar(place.scalar);
  if (!(lastMs > nowMs)) return lastMs;
  const forgottenMs = entity.scalar(place.scalar + 1);
  const knownMs = forgottenMs <= nowMs ? forgottenMs : Number.NaN;
  for (let row = entity.end - 1; row >= entity.head; row--) {
    if (!(entity.atMs(row) <= nowMs) || !counts(place, entity, row)) continue;
    // A row that another feature needs may be older than one that was dropped.
    return knownMs > entity.atMs(row) ? knownMs : entity.atMs(row);
  }
  return knownMs;
}

function amountOf({ feature, column }: PlacedFeature, tally: Tally): FactValue {
  if (tally.count === 0) return readNothing(feature);
  const kind = column!;
  if (feature.kind !== 'avg') {
    return tally.wide === undefined ? factOfTicks(kind, tally.ticks) : factOfWide(kind, tally.wide);
  }
  if (kind === 'decimal') {
    return tally.wide === undefined ? averageOfTicks(tally.ticks, tally.count) : averageOfWide(tally.wide, tally.count);
  }
  const sum = tally.wide === undefined ? factOfTicks(kind, tally.ticks) : factOfWide(kind, tally.wide);
  const average = Number(sum) / tally.count;
  return feature.type === 'double' ? average : Math.round(average);
}

/** The count or the sum, divided by the number of `per` spans in the window. */
function rateOf(placed: PlacedFeature, tally: Tally): FactValue {
  const { feature } = placed;
  const [overMs, perMs] = [feature.overMs!, feature.perMs!];
  if (feature.ofSlot === undefined) return (tally.count * perMs) / overMs;
  const sum = amountOf(placed, tally);
  if (typeof sum !== 'bigint') return ((sum as number) * perMs) / overMs;
  return divideDecimal((sum * BigInt(perMs)) as Decimal, (BigInt(overMs) * decimalOne) as Decimal);
}

function habitOf(entity: FeatureEntity, index: number, window: Question): FactValue {
  if (window.value === undefined) return undefined;
  return shareOf(entity, { index, number: entity.texts.find(window.value) }, window);
}

/** Events without a label count as legitimate. */
function fraudShareOf(entity: FeatureEntity, index: number, window: Window): FactValue {
  const { count } = tallyOf(entity, index, window);
  if (count === 0) return undefined;
  return Math.min(1, (entity.fraudTimes[index]?.count(window.edgeMs, window.nowMs) ?? 0) / count);
}

/** The window ends when events become known, before the event itself. */
function ofLabels(entity: FeatureEntity, { feature, index }: PlacedFeature, window: Window): FactValue {
  const times = entity.fraudTimes[index];
  const { edgeMs, nowMs } = window;
  const eventMs = nowMs + feature.afterMs!;
  if (feature.kind === 'sinceFraud') {
    const count = times?.count(edgeMs, nowMs) ?? 0;
    return count === 0 ? undefined : eventMs - times!.newestMs(nowMs);
  }
  const clearMs = newestClearMs(entity, index, window);
  if (feature.kind === 'sinceClear') return clearMs === undefined ? undefined : eventMs - clearMs;
  const afterMs = clearMs ?? edgeMs;
  const run = times?.count(afterMs, nowMs) ?? 0;
  if (feature.kind === 'fraudRun') return run;
  return run === 0 ? undefined : eventMs - times!.firstAfterMs(afterMs);
}
