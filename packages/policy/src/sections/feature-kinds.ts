import type { FactType } from '../facts/fact-value.ts';
import type { FeatureKind, KeptKind } from '../policy.ts';

/** The option that a kind needs: `at: 95` for a percentile, `per: 1h` for a rate. */
export type FeatureOption = 'at' | 'per' | 'to' | 'halfLife' | 'after';

/** One kind of feature, as an analyst writes it. */
export interface FeatureDefinition {
  readonly kind: FeatureKind;
  /**
   * The value of its field: `true`; a numeric fact; any fact with one value; another feature. `events or number`:
   * `true` or a number.
   */
  readonly of: 'true' | 'number' | 'value' | 'events or number' | 'feature';
  /** What limits its history: a window, nothing, or the other features that it consists of. */
  readonly span: 'over' | 'none';
  readonly option?: FeatureOption;
  /** Set for kinds that never count the event on which they are read. */
  readonly excludesThis?: true;
  /** For money: whether amounts are kept separately per currency. Absent for kinds that read no fact. */
  readonly ofMoney?: 'per currency' | 'all currencies';
  /** One or more sentences for the analyst; `featureDoc` adds a sentence about money. */
  readonly doc: string;
  /** The fields of an example, which the tests check. */
  readonly example: string;
}

/** Every kind of feature: the one table used by the reader, the reference page and the editor's completion. */
export const featureDefinitions: readonly FeatureDefinition[] = [
  {
    kind: 'count',
    of: 'true',
    span: 'over',
    doc: 'The number of events.',
    example: 'count: true, by: client.id, over: 1h',
  },
  {
    kind: 'sum',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The sum of a number; 0 if there is none.',
    example: 'sum: order.amount, by: client.id, over: 24h',
  },
  {
    kind: 'avg',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The average of a number; missing if there is none.',
    example: 'avg: order.amount, by: client.id, over: 30d',
  },
  {
    kind: 'min',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The smallest value of a number; missing if there is none.',
    example: 'min: order.amount, by: client.id, over: 30d',
  },
  {
    kind: 'max',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The largest value of a number; missing if there is none.',
    example: 'max: order.amount, by: client.id, over: 30d',
  },
  {
    kind: 'distinct',
    of: 'value',
    span: 'over',
    ofMoney: 'all currencies',
    doc: 'The number of different values.',
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
    excludesThis: true,
    doc: 'Time since the previous event; missing on the first.',
    example: 'lastSeen: true, by: client.id',
  },
  {
    kind: 'stddev',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The standard deviation of a number, over all events in the window; 0 for one, missing if there is none.',
    example: 'stddev: order.amount, by: client.id, over: 30d',
  },
  {
    kind: 'median',
    of: 'number',
    span: 'over',
    ofMoney: 'per currency',
    doc: 'The number in the middle: the same as `percentile` at 50; missing if there is none.',
    example: 'median: order.amount, by: client.id, over: 30d',
  },
  {
    kind: 'percentile',
    of: 'number',
    span: 'over',
    option: 'at',
    ofMoney: 'per currency',
    doc: 'The smallest number in the window that is not exceeded by at least the given percentage of all numbers. `at` is from 0.1 to 99.9, with at most one decimal place. Missing if there is none.',
    example: 'percentile: order.amount, at: 95, by: client.id, over: 30d',
  },
  {
    kind: 'previous',
    of: 'value',
    span: 'over',
    excludesThis: true,
    ofMoney: 'per currency',
    doc: 'The value on the previous event that has one, not later than this event; missing if the window contains none.',
    example: 'previous: device.platform, by: client.id, over: 90d',
  },
  {
    kind: 'rate',
    of: 'events or number',
    span: 'over',
    option: 'per',
    ofMoney: 'per currency',
    doc: 'How many events (`true`), or how much of a number, per span of time: the count or sum of the window, divided by the number of such spans in it.',
    example: 'rate: true, per: 1h, by: client.id, over: 7d',
  },
  {
    kind: 'topShare',
    of: 'value',
    span: 'over',
    ofMoney: 'all currencies',
    doc: 'The share of the most frequent value among all in the window, above 0 and up to 1; missing if there is none.',
    example: 'topShare: payee.id, by: client.id, over: 30d',
  },
  {
    kind: 'habit',
    of: 'value',
    span: 'over',
    excludesThis: true,
    ofMoney: 'all currencies',
    doc: 'How usual the value of this event is: the share of earlier events with the same value, from 0 (never seen) to 1 (always). This event is not counted. Missing if there were none.',
    example: 'habit: event.hour, by: client.id, over: 90d',
  },
  {
    kind: 'profile',
    of: 'number',
    span: 'none',
    option: 'halfLife',
    excludesThis: true,
    ofMoney: 'per currency',
    doc: 'The usual value of a number: its average over all earlier events, where the weight of an event halves with every `halfLife`. Missing if there is none, and after ten half-lives without one. `zscore(x, name)` is the distance of a value from it.',
    example: 'profile: order.amount, by: client.id, halfLife: 30d',
  },
  {
    kind: 'fraudShare',
    of: 'true',
    span: 'over',
    option: 'after',
    excludesThis: true,
    doc: 'The share of events that were labelled fraud, among those in the window that are older than `after`: allow people this much time to discover fraud. Events without a label count as legitimate. Missing if the window contains none that are old enough. `by` and `where` read only facts of the event itself.',
    example: 'fraudShare: true, after: 2d, by: payee.id, over: 90d, on: operation',
  },
  {
    kind: 'fraudRun',
    of: 'true',
    span: 'over',
    option: 'after',
    excludesThis: true,
    doc: 'How many of the newest events in a row were labelled fraud, among those in the window that are older than `after`; 0 if the newest is legitimate, and without any. A legitimate event ends the run, and with it the fraud of the same instant. As for a `fraudShare`, events without a label count as legitimate, and `by` and `where` read only facts of the event itself.',
    example: 'fraudRun: true, after: 7d, by: payee.id, over: 90d, on: operation',
  },
  {
    kind: 'fraudRunAge',
    of: 'true',
    span: 'over',
    option: 'after',
    excludesThis: true,
    doc: 'Time since the first event of the run that `fraudRun` counts; missing without a run.',
    example: 'fraudRunAge: true, after: 7d, by: payee.id, over: 90d, on: operation',
  },
  {
    kind: 'sinceFraud',
    of: 'true',
    span: 'over',
    option: 'after',
    excludesThis: true,
    doc: 'Time since the newest event labelled fraud, among those in the window that are older than `after`; missing without one.',
    example: 'sinceFraud: true, after: 7d, by: payee.id, over: 90d, on: operation',
  },
  {
    kind: 'sinceClear',
    of: 'true',
    span: 'over',
    option: 'after',
    excludesThis: true,
    doc: 'Time since the newest event that is not labelled fraud, among those in the window that are older than `after`; missing without one.',
    example: 'sinceClear: true, after: 7d, by: payee.id, over: 90d, on: operation',
  },
  {
    kind: 'ratio',
    of: 'feature',
    span: 'none',
    option: 'to',
    doc: 'One feature divided by another; missing if one of them is, or the second is 0.',
    example: 'ratio: clientAmount1h, to: clientAmount30d',
  },
];

export const featureKinds: readonly FeatureKind[] = featureDefinitions.map(({ kind }) => kind);

const byKind: ReadonlyMap<FeatureKind, FeatureDefinition> = new Map(
  featureDefinitions.map((definition) => [definition.kind, definition]),
);

export function featureDefinition(kind: FeatureKind): FeatureDefinition {
  return byKind.get(kind)!;
}

const moneySentences: Readonly<Record<NonNullable<FeatureDefinition['ofMoney']>, string>> = {
  'per currency': 'For `order.amount`: only amounts in the currency of this event.',
  'all currencies': 'For `order.amount`: the numbers alone, in all currencies.',
};

/** The description of the kind for an analyst, including its handling of currencies. */
export function featureDoc({ doc, ofMoney }: FeatureDefinition): string {
  return ofMoney === undefined ? doc : `${doc} ${moneySentences[ofMoney]}`;
}

/** Kinds whose value is never below 0, whatever they read. */
export const countingKinds: ReadonlySet<FeatureKind> = new Set<FeatureKind>([
  'count',
  'distinct',
  'firstSeen',
  'lastSeen',
  'stddev',
  'fraudRun',
  'fraudRunAge',
  'sinceFraud',
  'sinceClear',
]);

/** Kinds whose value is a share of a whole. */
export const shareKinds: ReadonlySet<FeatureKind> = new Set<FeatureKind>(['topShare', 'habit', 'fraudShare']);

/** The kind of state stored for a feature. Features that store the same about the same facts share it. */
export function keptFor(kind: Exclude<FeatureKind, 'ratio'>, of: FactType | undefined): KeptKind {
  if (kind === 'rate') return of === undefined ? 'count' : 'sum';
  if (kind === 'median' || kind === 'percentile') return 'spread';
  if (kind === 'topShare' || kind === 'habit') return 'values';
  if (kind === 'fraudRun' || kind === 'fraudRunAge' || kind === 'sinceFraud' || kind === 'sinceClear')
    return 'fraudShare';
  return kind;
}

/** The type of a feature's value, by the type of the fact that it reads. */
export function typeOfFeature(kind: FeatureKind, of: FactType | undefined): FactType {
  switch (kind) {
    case 'count':
    case 'distinct':
    case 'fraudRun':
      return 'int';
    case 'firstSeen':
    case 'lastSeen':
    case 'fraudRunAge':
    case 'sinceFraud':
    case 'sinceClear':
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
