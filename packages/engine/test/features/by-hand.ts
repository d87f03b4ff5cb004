import { type Decimal, decimalOne, divideDecimal } from '@ringfence/contract';
import type { FactValue } from '@ringfence/policy';
import type { BenchEvent, BenchFeature } from './feature-bench.ts';

/**
 * The definition of each feature, computed naively: keeps every event for ever and looks at all of them. `before` are
 * the events that arrived before `now`, whatever their times.
 */
export function valueByHand(feature: BenchFeature, before: readonly BenchEvent[], now: BenchEvent): FactValue {
  const earlier = before.filter((event) => countsFor(feature, event));
  const counted = countsFor(feature, now) && feature.excludesThis !== true ? [...earlier, now] : earlier;
  if (feature.kind === 'firstSeen') return sinceFirst(counted, now);
  if (feature.kind === 'lastSeen') return sinceLast(earlier, now);
  if (feature.perCurrency === true && now.currency === undefined && now.amount === undefined) return undefined;
  if (feature.kind === 'profile') return profileByHand(feature, earlier, now);
  if (feature.kind === 'previous') return previousByHand(feature, inWindow(feature, earlier, now));
  if (feature.kind === 'habit') return habitByHand(feature, inWindow(feature, earlier, now), now);
  return foldByHand(feature, inWindow(feature, counted, now));
}

export function foldByHand(feature: BenchFeature, events: readonly BenchEvent[]): FactValue {
  const { kind, of } = feature;
  if (kind === 'count') return events.length;
  if (kind === 'rate') return rateByHand(feature, events);
  if (kind === 'distinct') return new Set(events.map((event) => event[of!])).size;
  if (kind === 'topShare') return topShareByHand(feature, events);
  return of === 'int' ? foldInts(feature, events) : foldAmounts(feature, events);
}

/** Events in the window of `now`, of its currency. */
export function inWindow(feature: BenchFeature, events: readonly BenchEvent[], now: BenchEvent): readonly BenchEvent[] {
  const isIn = ({ atMs }: BenchEvent): boolean => atMs > now.atMs - feature.overMs! && atMs <= now.atMs;
  return events.filter((event) => isIn(event) && ofCurrency(feature, event, now));
}

function countsFor(feature: BenchFeature, event: BenchEvent): boolean {
  if (feature.filtered === true && !event.counts) return false;
  return feature.of === undefined || event[feature.of] !== undefined;
}

function ofCurrency(feature: BenchFeature, event: BenchEvent, now: BenchEvent): boolean {
  return feature.perCurrency !== true || (event.currency ?? '') === (now.currency ?? '');
}

function sinceFirst(counted: readonly BenchEvent[], now: BenchEvent): FactValue {
  if (counted.length === 0) return undefined;
  return Math.max(0, now.atMs - Math.min(...counted.map(({ atMs }) => atMs)));
}

function sinceLast(counted: readonly BenchEvent[], now: BenchEvent): FactValue {
  const earlier = counted.filter(({ atMs }) => atMs <= now.atMs);
  return earlier.length === 0 ? undefined : now.atMs - Math.max(...earlier.map(({ atMs }) => atMs));
}

/** Among events of the same time, the one that arrived last. */
function previousByHand({ of }: BenchFeature, events: readonly BenchEvent[]): FactValue {
  return events.toSorted((a, b) => a.atMs - b.atMs).at(-1)?.[of!];
}

function habitByHand({ of }: BenchFeature, events: readonly BenchEvent[], now: BenchEvent): FactValue {
  if (events.length === 0 || now[of!] === undefined) return undefined;
  return events.filter((event) => event[of!] === now[of!]).length / events.length;
}

function topShareByHand({ of }: BenchFeature, events: readonly BenchEvent[]): FactValue {
  if (events.length === 0) return undefined;
  const byValue = [...Map.groupBy(events, (event) => event[of!]).values()];
  return Math.max(...byValue.map(({ length }) => length)) / events.length;
}

function rateByHand(feature: BenchFeature, events: readonly BenchEvent[]): FactValue {
  const [overMs, perMs] = [feature.overMs!, feature.perMs!];
  if (feature.of === undefined) return (events.length * perMs) / overMs;
  const sum = foldByHand({ ...feature, kind: 'sum' }, events);
  if (typeof sum !== 'bigint') return ((sum as number) * perMs) / overMs;
  return divideDecimal((sum * BigInt(perMs)) as Decimal, (BigInt(overMs) * decimalOne) as Decimal);
}

/** The smallest value such that at least this many permille are not greater. */
function ranked<Value>({ kind, atPermille }: BenchFeature, values: readonly Value[]): Value {
  const sorted = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted.find((_, at) => (at + 1) * 1_000 >= (kind === 'median' ? 500 : atPermille!) * sorted.length)!;
}

function foldInts(feature: BenchFeature, events: readonly BenchEvent[]): FactValue {
  const values = events.map(({ int }) => int!);
  const sum = values.reduce((total, value) => total + value, 0);
  switch (feature.kind) {
    case 'sum':
      return sum;
    case 'avg':
      return values.length === 0 ? undefined : sum / values.length;
    case 'stddev':
      return values.length === 0 ? undefined : deviationByHand(values.map(BigInt));
    case 'min':
    case 'max':
      return values.length === 0 ? undefined : Math[feature.kind](...values);
    default:
      return values.length === 0 ? undefined : ranked(feature, values);
  }
}

function foldAmounts(feature: BenchFeature, events: readonly BenchEvent[]): FactValue {
  const values = events.map(({ amount }) => amount!);
  const sum = values.reduce((total, value) => (total + value) as Decimal, 0n as Decimal);
  if (feature.kind === 'sum') return sum;
  if (values.length === 0) return undefined;
  switch (feature.kind) {
    case 'avg':
      return divideDecimal(sum, (BigInt(values.length) * decimalOne) as Decimal);
    case 'stddev':
      return BigInt(Math.round(deviationByHand(values))) as Decimal;
    case 'min':
    case 'max':
      return values.reduce((extreme, value) => ((feature.kind === 'min') === value < extreme ? value : extreme));
    default:
      return ranked(feature, values);
  }
}

/** Squared distances from the mean, summed exactly in fractions of the count. */
export function deviationByHand(values: readonly bigint[]): number {
  const count = BigInt(values.length);
  const sum = values.reduce((total, value) => total + value, 0n);
  const squares = values.reduce((total, value) => total + (value * count - sum) ** 2n, 0n);
  return Math.sqrt(Number(squares / count)) / values.length;
}

const profileHalfLives = 10;
const profileEvents = 5;
const profileSpread = 0.01;

/** Weights by their definition, recomputed each time; begins again after ten half-lives without an event. */
function profileByHand(feature: BenchFeature, earlier: readonly BenchEvent[], now: BenchEvent): FactValue {
  const halfLifeMs = feature.halfLifeMs!;
  let lastMs = -Infinity;
  let kept: BenchEvent[] = [];
  for (const event of earlier.filter((one) => ofCurrency(feature, one, now))) {
    if (event.atMs - lastMs >= halfLifeMs * profileHalfLives) kept = [];
    if (lastMs - event.atMs >= halfLifeMs * profileHalfLives) continue;
    kept.push(event);
    lastMs = Math.max(lastMs, event.atMs);
  }
  if (kept.length === 0 || now.atMs - lastMs >= halfLifeMs * profileHalfLives) return undefined;
  const weights = kept.map(({ atMs }) => 2 ** ((atMs - lastMs) / halfLifeMs));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = kept.reduce((sum, event, at) => sum + weights[at]! * numberOf(feature, event), 0) / total;
  if (feature.asks === undefined) return mean;
  if (kept.length < profileEvents) return undefined;
  const spread = kept.reduce((sum, event, at) => sum + weights[at]! * (numberOf(feature, event) - mean) ** 2, 0);
  return Math.max(Math.sqrt(spread / total), Math.abs(mean) * profileSpread) || undefined;
}

function numberOf({ of }: BenchFeature, event: BenchEvent): number {
  const value = event[of!];
  return typeof value === 'bigint' ? Number(value) / Number(decimalOne) : (value as number);
}
