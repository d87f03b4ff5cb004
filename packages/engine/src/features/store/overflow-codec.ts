import type { ByteReader, ByteWriter } from '@ringfence/contract';
import { BucketTail } from '../tail/bucket-tail.ts';
import { CountsTail } from '../tail/counts-tail.ts';
import { DistinctTail } from '../tail/distinct-tail.ts';
import type { Extras } from './overflow.ts';
import { FraudTimes } from './fraud-times.ts';
import type { Layout } from './layout.ts';
import { Profiles } from '../window/profile.ts';

/** The encoded parts of an entity's overflow. */
export type Tails = Pick<Extras, 'tails' | 'distinctTails' | 'countTails' | 'profiles' | 'fraudTimes'>;

export function writeTails(writer: ByteWriter, entity: Tails, layout: Layout): void {
  writer.uint(entity.tails.length);
  for (const tail of entity.tails) {
    writer.uint(tail.feature);
    writer.int(tail.currency);
    writer.uint(tail.buckets);
    for (let index = 0; index < tail.buckets; index++) {
      const bucket = tail.bucketAt(index);
      writer.int(bucket.fromMs);
      writer.uint(bucket.toMs - bucket.fromMs);
      writer.uint(bucket.count);
      writer.big(bucket.amount);
      writer.big(bucket.weight);
      if (tail.kind === 'stddev') writer.big(bucket.squares);
    }
  }
  for (let index = 0; index < layout.features.length; index++) {
    const tail = entity.distinctTails[index];
    if (layout.features[index]!.kind !== 'distinct') continue;
    writer.uint(tail?.size ?? 0);
    for (const [number, atMs] of tail?.sightings() ?? []) {
      writer.uint(number);
      writer.int(atMs);
    }
  }
  if (hasCounts(layout)) writeCountTails(writer, entity.countTails);
  for (let index = 0; index < layout.features.length; index++) {
    if (layout.features[index]!.kind === 'profile') writeProfiles(writer, entity.profiles[index]);
    if (layout.features[index]!.kind === 'fraudShare') writeFraudTimes(writer, entity.fraudTimes[index]);
  }
}

/** Whether one of its features can have tails of counts; other layouts do not spend a byte on them. */
function hasCounts({ features }: Layout): boolean {
  return features.some(({ kind }) => kind === 'spread' || kind === 'values');
}

function writeCountTails(writer: ByteWriter, tails: readonly CountsTail[]): void {
  writer.uint(tails.length);
  for (const tail of tails) {
    writer.uint(tail.feature);
    writer.int(tail.currency);
    writer.uint(tail.buckets.length);
    for (const { fromMs, toMs, count, keys, counts } of tail.buckets) {
      writer.int(fromMs);
      writer.uint(toMs - fromMs);
      writer.uint(count);
      writer.uint(keys.length);
      keys.forEach((key, place) => {
        writer.int(key);
        writer.uint(counts[place]!);
      });
    }
  }
}

function writeFraudTimes(writer: ByteWriter, times: FraudTimes | undefined): void {
  const all = times?.all ?? [];
  writer.uint(all.length);
  for (const [atMs, offset] of all) {
    writer.int(atMs);
    writer.int(offset);
  }
}

function writeProfiles(writer: ByteWriter, profiles: Profiles | undefined): void {
  const all = profiles?.all ?? [];
  writer.uint(all.length);
  for (const { currency, lastMs, events, weight, mean, spread } of all) {
    writer.int(currency);
    writer.int(lastMs);
    writer.uint(events);
    for (const value of [weight, mean, spread]) writer.double(value);
  }
}

/** Reads what `writeTails` wrote, into an entity without tails. */
export function readTails(reader: ByteReader, entity: Tails, layout: Layout): void {
  const { features } = layout;
  const tails = reader.uint();
  for (let index = 0; index < tails; index++) {
    const feature = reader.uint();
    const { kind, column } = features[feature]!;
    const tail = new BucketTail({ feature, currency: reader.int(), kind, column: layout.columns[column] });
    const buckets = reader.uint();
    for (let bucket = 0; bucket < buckets; bucket++) {
      const fromMs = reader.int();
      const toMs = fromMs + reader.uint();
      const bucket = { fromMs, toMs, count: reader.uint(), amount: reader.big(), weight: reader.big() };
      tail.append({ ...bucket, squares: tail.kind === 'stddev' ? reader.big() : 0n });
    }
    entity.tails = [...entity.tails, tail];
  }
  for (let index = 0; index < features.length; index++) {
    if (features[index]!.kind !== 'distinct') continue;
    const tail = readDistinctTail(reader);
    if (tail !== undefined) entity.distinctTails = placed(features, entity.distinctTails, { index, value: tail });
  }
  if (hasCounts(layout)) readCountTails(reader, entity, layout);
  for (let index = 0; index < features.length; index++) {
    const { kind, halfLifeMs } = features[index]!;
    if (kind === 'profile') {
      const profiles = readProfiles(reader, halfLifeMs);
      if (profiles !== undefined) entity.profiles = placed(features, entity.profiles, { index, value: profiles });
    } else if (kind === 'fraudShare') {
      const times = readFraudTimes(reader);
      if (times !== undefined) entity.fraudTimes = placed(features, entity.fraudTimes, { index, value: times });
    }
  }
}

/** A copy of a list by feature, with one value replaced. */
function placed<Value>(
  features: readonly unknown[],
  list: readonly (Value | undefined)[],
  { index, value }: { readonly index: number; readonly value: Value },
): readonly (Value | undefined)[] {
  return features.map((_, at) => (at === index ? value : list[at]));
}

function readCountTails(reader: ByteReader, entity: Tails, layout: Layout): void {
  const tails = reader.list(() => {
    const feature = reader.uint();
    const kind = layout.features[feature]!.kind as 'spread' | 'values';
    const tail = new CountsTail({ feature, currency: reader.int(), kind });
    const buckets = reader.uint();
    for (let bucket = 0; bucket < buckets; bucket++) {
      const fromMs = reader.int();
      const toMs = fromMs + reader.uint();
      const count = reader.uint();
      const entries = reader.list(() => [reader.int(), reader.uint()] as const);
      tail.append({ fromMs, toMs, count, keys: entries.map(([key]) => key), counts: entries.map(([, n]) => n) });
    }
    return tail;
  });
  if (tails.length > 0) entity.countTails = tails;
}

function readFraudTimes(reader: ByteReader): FraudTimes | undefined {
  const size = reader.uint();
  if (size === 0) return undefined;
  const times = new FraudTimes();
  for (let count = 0; count < size; count++) times.add(reader.int(), reader.int());
  return times;
}

function readProfiles(reader: ByteReader, halfLifeMs: number): Profiles | undefined {
  const size = reader.uint();
  if (size === 0) return undefined;
  const profiles = new Profiles(halfLifeMs);
  for (let count = 0; count < size; count++) {
    const [currency, lastMs, events] = [reader.int(), reader.int(), reader.uint()];
    profiles.append({
      currency,
      lastMs,
      events,
      weight: reader.double(),
      mean: reader.double(),
      spread: reader.double(),
    });
  }
  return profiles;
}

function readDistinctTail(reader: ByteReader): DistinctTail | undefined {
  const entries = reader.list(() => [reader.uint(), reader.int()] as const);
  if (entries.length === 0) return undefined;
  const tail = new DistinctTail();
  tail.add(entries);
  return tail;
}
