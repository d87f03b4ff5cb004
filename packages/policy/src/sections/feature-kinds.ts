import type { FactType } from '../facts/fact-value.ts';
import type { FeatureKind, KeptKind } from '../policy.ts';

/** What a kind is told beside its fact: `at: 95` of a percentile, `per: 1h` of a rate. */
export type FeatureOption = 'at' | 'per' | 'to' | 'halfLife' | 'after';

/** One kind of feature, as an analyst writes it. */
export interface FeatureDefinition {
  readonly kind: FeatureKind;
  /**
   * What is written behind its name: `true`; a fact that is a number; any fact with one value; another feature.
   * `events or number`: `true` or a number.
   */
  readonly of: 'true' | 'number' | 'value' | 'events or number' | 'feature';
  /** What it forgets by: a window, nothing at all, or the other features that it is made of. */
  readonly span: 'over' | 'none';
  readonly option?: FeatureOption;
  /** Of money: whether amounts are kept for each currency by itself. Left out by kinds that are about no fact. */
  readonly ofMoney?: 'per currency' | 'all currencies';
  /** One or more sentences for the analyst; `featureDoc` adds what they mean of money. */
  readonly doc: string;
  /** The fields of an example, by which `npm test` holds the table to the truth. */
  readonly example: string;
}

/** Every kind of feature: the one table that the reader, the reference page and an editor's completion read. */
export const featureDefinitions: readonly FeatureDefinition[] = [
  {
    kind: 'count',
    of: 'true',
    span: 'over',
    doc: 'How many events.',
    example: 'count: true, by: client.id, over: 1h',
  },
  {
    kind: 'sum',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The sum of a number; 0 of none.',
    example: 'sum: order.amount, by: client.id, over: 24h',
  },
  {
    kind: 'avg',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The average of a number; missing without any.',
    example: 'avg: order.amount, by: client.id, over: 30d',
  },
  {
    kind: 'min',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The smallest of a number; missing without any.',
    example: 'min: order.amount, by: client.id, over: 30d',
  },
  {
    kind: 'max',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The largest of a number; missing without any.',
    example: 'max: order.amount, by: client.id, over: 30d',
  },
  {
    kind: 'distinct',
    of: 'value',
    span: 'over',
    ofMoney: 'all currencies',
    doc: 'How many different values.',
    example: 'distinct: payee.id, by: client.id, over: 1h',
  },
  {
    kind: 'firstSeen',
    of: 'true',
    span: 'none',
    doc: 'Time since the first event; 0s on it.',
    example: 'firstSeen: true, by: [client.id, payee.id]',
  },
  {
    kind: 'lastSeen',
    of: 'true',
    span: 'none',
    doc: 'Time since the event before this one; missing on the first.',
    example: 'lastSeen: true, by: client.id',
  },
  {
    kind: 'stddev',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The standard deviation of a number, of all events in the window; 0 of one, missing without any.',
    example: 'stddev: order.amount, by: client.id, over: 30d',
  },
  {
    kind: 'median',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The number in the middle: the same as `percentile` at 50; missing without any.',
    example: 'median: order.amount, by: client.id, over: 30d',
  },
  {
    kind: 'percentile',
    of: 'number',
    span: 'over',
    option: 'at',
    ofMoney: 'per currency',
    doc: 'The smallest number that at least so many percent of all in the window do not exceed: one of the numbers that there were. `at` is from 0.1 to 99.9, with at most one digit behind the point. Missing without any.',
    example: 'percentile: order.amount, at: 95, by: client.id, over: 30d',
  },
  {
    kind: 'previous',
    of: 'value',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The value on the last event before this one that has one, not later than it; missing where the window holds none.',
    example: 'previous: device.platform, by: client.id, over: 90d',
  },
  {
    kind: 'rate',
    of: 'events or number',
    span: 'over',
    option: 'per',
    ofMoney: 'per currency',
    doc: 'How many events (`true`), or how much of a number, per span of time: the count or sum of the window, divided by how many such spans it is long.',
    example: 'rate: true, per: 1h, by: client.id, over: 7d',
  },
  {
    kind: 'topShare',
    of: 'value',
    span: 'over',
    ofMoney: 'all currencies',
    doc: 'The share of the most frequent value among all in the window, above 0 and up to 1; missing without any.',
    example: 'topShare: payee.id, by: client.id, over: 30d',
  },
  {
    kind: 'habit',
    of: 'value',
    span: 'over',
    ofMoney: 'all currencies',
    doc: 'How usual the value of this event is: the share of the events before it that had the same, from 0 (never seen) to 1 (always). This event is not counted. Missing where there were none.',
    example: 'habit: event.hour, by: client.id, over: 90d',
  },
  {
    kind: 'profile',
    of: 'number',
    span: 'none',
    option: 'halfLife',
    ofMoney: 'per currency',
    doc: 'What a number usually is: its average over all events before this one, where an event counts half as much for every `halfLife` since. Missing without any, and after ten half-lives without one. `zscore(x, name)` says how far from it a value is.',
    example: 'profile: order.amount, by: client.id, halfLife: 30d',
  },
  {
    kind: 'fraudShare',
    of: 'true',
    span: 'over',
    option: 'after',
    doc: 'The share of events that were labelled fraud, among those in the window that are older than `after`: give people that long to find out. What nobody labelled counts as legitimate. Missing where the window holds none so old. `by` and `where` read what the event itself says.',
    example: 'fraudShare: true, after: 2d, by: payee.id, over: 90d, on: operation',
  },
  {
    kind: 'ratio',
    of: 'feature',
    span: 'none',
    option: 'to',
    doc: 'One feature divided by another; missing when one of them is, or the second is 0.',
    example: 'ratio: clientAmount1h, to: clientAmount30d',
  },
];

export const featureKinds: readonly FeatureKind[] = featureDefinitions.map(({ kind }) => kind);

const byKind = new Map(featureDefinitions.map((definition) => [definition.kind, definition]));

export function featureDefinition(kind: FeatureKind): FeatureDefinition {
  return byKind.get(kind)!;
}

const moneySentences: Readonly<Record<NonNullable<FeatureDefinition['ofMoney']>, string>> = {
  'per currency': 'Of `order.amount`: only amounts in the currency of this event.',
  'all currencies': 'Of `order.amount`: the bare numbers, whatever their currencies.',
};

/** What the kind is, as an analyst reads it, with what becomes of currencies. */
export function featureDoc({ doc, ofMoney }: FeatureDefinition): string {
  return ofMoney === undefined ? doc : `${doc} ${moneySentences[ofMoney]}`;
}

/** Kinds whose value is never below 0, whatever they are about. */
export const countingKinds: ReadonlySet<FeatureKind> = new Set<FeatureKind>([
  'count',
  'distinct',
  'firstSeen',
  'lastSeen',
  'stddev',
]);

/** Kinds whose value is a share of a whole. */
export const shareKinds: ReadonlySet<FeatureKind> = new Set<FeatureKind>(['topShare', 'habit', 'fraudShare']);

/** What is kept for a feature. Features that keep the same of the same facts share it. */
export function keptFor(kind: Exclude<FeatureKind, 'ratio'>, of: FactType | undefined): KeptKind {
  if (kind === 'rate') return of === undefined ? 'count' : 'sum';
  if (kind === 'median' || kind === 'percentile') return 'spread';
  if (kind === 'topShare' || kind === 'habit') return 'values';
  return kind;
}

/** The type of a feature's value, by the type of the fact that it is about. */
export function typeOfFeature(kind: FeatureKind, of: FactType | undefined): FactType {
  switch (kind) {
    case 'count':
    case 'distinct':
      return 'int';
    case 'firstSeen':
    case 'lastSeen':
      return 'duration';
    case 'avg':
    case 'stddev':
    case 'rate':
      return of === 'decimal' ? 'decimal' : 'double';
    case 'topShare':
    case 'habit':
    case 'profile':
    case 'fraudShare':
    case 'ratio':
      return 'double';
    default:
      return of ?? 'int';
  }
}
