import type { EventRecord } from '@ringfence/engine';
import type { SearchPolicy } from '@ringfence/policy';
import { hourMs, minuteMs, secondMs } from '@ringfence/contract';
import type { FiredOnEvent } from '../backtests/worker-report.ts';
import { EventTally } from '../backtests/outcome-tally.ts';
import type { Counted, Money } from '../backtests/result.ts';
import { entityIndex, entitiesOf } from '../../console/event-index/entities.ts';
import type { RefKind } from '../../console/entity-ref.ts';

/** The dimensions by which found events are counted. */
export const topKinds = ['client', 'payee', 'device', 'ip', 'country', 'channel', 'category', 'rule'] as const;
export type TopKind = (typeof topKinds)[number];

export interface TopValue {
  readonly value: string;
  /** A pseudonymous reference to a client, payee, device or address. */
  readonly ref: string | undefined;
  readonly count: number;
}

/** The events found so far. Plain values. */
export interface Found {
  readonly counts: Counted;
  readonly money: readonly Money[];
  readonly bucketMs: number;
  /** Events by the start of their bucket, in the order of time; without empty buckets. */
  readonly series: readonly { readonly atMs: number; readonly count: number }[];
  /** The most frequent first. */
  readonly tops: Readonly<Record<TopKind, readonly TopValue[]>>;
  /** Offsets of the newest events, newest first. */
  readonly newest: readonly number[];
}

const topMax = 10;
/** Distinct values per dimension; further ones are not counted. About ten megabytes. */
const valuesMax = 100_000;
/** Listed events: as many as a person looks through. */
export const newestMax = 1_000;
/** Columns of the chart. */
const bucketsWanted = 60;
const bucketChoicesMs: readonly number[] = [
  ...[1, 5, 15, 30].map((seconds) => seconds * secondMs),
  ...[1, 5, 15].map((minutes) => minutes * minuteMs),
  ...[1, 3, 6, 24, 24 * 7, 24 * 30].map((hours) => hours * hourMs),
];

/** Tallies the events for which the condition was true. */
export class SearchTally {
  readonly #reason: number;
  readonly #indexKey: Uint8Array;
  readonly #bucketMs: number;
  readonly #events = new EventTally();
  readonly #series = new Map<number, number>();
  readonly #tops = new Map<TopKind, Map<string, { count: number; ref: string | undefined }>>();
  readonly #newest: number[] = [];

  constructor(of: { readonly rule: SearchPolicy['rule']; readonly indexKey: Uint8Array; readonly spanMs: number }) {
    this.#reason = of.rule.reason;
    this.#indexKey = of.indexKey;
    const wantedMs = of.spanMs / bucketsWanted;
    this.#bucketMs = bucketChoicesMs.find((ms) => ms >= wantedMs) ?? bucketChoicesMs.at(-1)!;
  }

  /** Ignores events on which only other rules fired. */
  add(event: FiredOnEvent, record: EventRecord): void {
    const found = event.rules.find(({ reason }) => reason === this.#reason);
    if (found === undefined) return;
    this.#events.add(event);
    const bucket = Math.floor(event.atMs / this.#bucketMs) * this.#bucketMs;
    this.#series.set(bucket, (this.#series.get(bucket) ?? 0) + 1);
    this.#newest.push(event.offset);
    // Kept up to twice as long as needed, so that it is rarely cut.
    if (this.#newest.length >= 2 * newestMax) this.#newest.splice(0, newestMax);
    this.#count(event, record, found.facts);
  }

  #count(
    { client, subject, rules }: FiredOnEvent,
    { event, enrichment }: EventRecord,
    facts: Readonly<Record<string, string>>,
  ): void {
    const { device = facts['device.id'], ip, payee } = entitiesOf(event, enrichment.facts);
    this.#add('client', client, () => subject);
    this.#add('payee', payee, (value) => this.#ref('payee', value));
    this.#add('device', device, (value) => this.#ref('device', value));
    this.#add('ip', ip, (value) => this.#ref('ip', value));
    this.#add('country', facts['ip.country']);
    this.#add('channel', event.channelId === undefined ? undefined : String(event.channelId));
    this.#add('category', event.kind === 'operation' ? event.transaction?.category : undefined);
    for (const { reason } of rules) if (reason !== this.#reason) this.#add('rule', String(reason));
  }

  #add(kind: TopKind, value: string | undefined, refOf?: (value: string) => string | undefined): void {
    if (value === undefined) return;
    let values = this.#tops.get(kind);
    if (values === undefined) {
      values = new Map();
      this.#tops.set(kind, values);
    }
    const known = values.get(value);
    if (known !== undefined) known.count += 1;
    else if (values.size < valuesMax) values.set(value, { count: 1, ref: refOf?.(value) });
  }

  #ref(kind: Exclude<RefKind, 'client' | 'session'>, value: string): string {
    return entityIndex(this.#indexKey, kind, value).toString('base64url');
  }

  found(): Found {
    return {
      counts: this.#events.counts,
      money: this.#events.money,
      bucketMs: this.#bucketMs,
      series: [...this.#series].toSorted(([a], [b]) => a - b).map(([atMs, count]) => ({ atMs, count })),
      tops: Object.fromEntries(topKinds.map((kind) => [kind, this.#top(kind)])) as unknown as Found['tops'],
      newest: this.#newest.slice(-newestMax).toReversed(),
    };
  }

  #top(kind: TopKind): readonly TopValue[] {
    return [...(this.#tops.get(kind) ?? [])]
      .toSorted(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
      .slice(0, topMax)
      .map(([value, { ref, count }]) => ({ value, ref, count }));
  }
}
