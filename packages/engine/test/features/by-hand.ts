import { type Decimal, decimalOne, divideDecimal } from '@ringfence/contract';
import type { FactValue } from '@ringfence/policy';
import type { BenchEvent, BenchFeature } from './feature-bench.ts';

/**
 * What a feature is, said in the obvious way: keeps every event for ever and looks at all of them. `before` are the
 * events that came before `now`, whatever their times.
 */
export function valueByHand(feature: BenchFeature, before: readonly BenchEvent[], now: BenchEvent): FactValue {
  const counted = [...before, now].filter((event) => countsFor(feature, event));
  if (feature.kind === 'firstSeen') return sinceFirst(counted, now);
  if (feature.kind === 'lastSeen')
    return sinceLast(
      before.filter((event) => countsFor(feature, event)),
      now,
    );
  if (feature.perCurrency === true && now.currency === undefined && now.amount === undefined) return undefined;
  const inWindow = counted.filter(
    (event) => event.atMs > now.atMs - feature.overMs! && event.atMs <= now.atMs && ofCurrency(feature, event, now),
  );
  return foldByHand(feature, inWindow);
}

export function foldByHand(feature: BenchFeature, events: readonly BenchEvent[]): FactValue {
  if (feature.kind === 'count') return events.length;
  if (feature.kind === 'distinct') return new Set(events.map((event) => event[feature.of!])).size;
  return feature.of === 'int' ? foldInts(feature, events) : foldAmounts(feature, events);
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

function foldInts({ kind }: BenchFeature, events: readonly BenchEvent[]): FactValue {
  const values = events.map(({ int }) => int!);
  const sum = values.reduce((total, value) => total + value, 0);
  if (kind === 'sum') return sum;
  if (values.length === 0) return undefined;
  if (kind === 'avg') return sum / values.length;
  return kind === 'min' ? Math.min(...values) : Math.max(...values);
}

function foldAmounts({ kind }: BenchFeature, events: readonly BenchEvent[]): FactValue {
  const values = events.map(({ amount }) => amount!);
  const sum = values.reduce((total, value) => (total + value) as Decimal, 0n as Decimal);
  if (kind === 'sum') return sum;
  if (values.length === 0) return undefined;
  if (kind === 'avg') return divideDecimal(sum, (BigInt(values.length) * decimalOne) as Decimal);
  return values.reduce((extreme, value) => ((kind === 'min') === value < extreme ? value : extreme));
}
