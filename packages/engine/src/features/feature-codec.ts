import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import { BucketTail } from './bucket-tail.ts';
import { Dictionary } from './dictionary.ts';
import { CountsTail } from './counts-tail.ts';
import { DistinctTail } from './distinct-tail.ts';
import type { FeatureEntity } from './feature-entity.ts';
import { FraudTimes } from './fraud-times.ts';
import type { Layout } from './layout.ts';
import { Profiles } from './profile.ts';
import { noteRows } from './sweep.ts';

/** Writes all that decides; cursors and free room are left out, and come again by themselves. */
export function writeFeatureEntity(writer: ByteWriter, entity: FeatureEntity): void {
  writer.uint(entity.layout.id);
  writer.uint(entity.sweepAt);
  for (let place = 0; place < entity.layout.scalars; place++) {
    const scalar = entity.scalar(place);
    writer.bool(!Number.isNaN(scalar));
    if (!Number.isNaN(scalar)) writer.int(scalar);
  }
  writer.uint(entity.texts.texts.length);
  for (const text of entity.texts.texts) writer.text(text);
  for (let column = 0; column < entity.layout.columns.length; column++) writer.bool(entity.wide[column] !== undefined);
  writer.uint(entity.rows);
  let beforeMs = 0;
  for (let row = entity.head; row < entity.end; row++) {
    writeRow(writer, entity, { row, beforeMs });
    beforeMs = entity.atMs(row);
  }
  writeTails(writer, entity);
}

function writeRow(
  writer: ByteWriter,
  entity: FeatureEntity,
  { row, beforeMs }: { readonly row: number; readonly beforeMs: number },
): void {
  const { columns, maskWords } = entity.layout;
  writer.int(entity.atMs(row) - beforeMs);
  for (let word = 0; word < maskWords; word++) writer.uint(entity.mask(row, word));
  for (let column = 0; column < columns.length; column++) {
    const wide = entity.wide[column];
    if (wide === undefined) writer.int(entity.value(row, column));
    else writer.big(wide[row]!);
  }
}

function writeTails(writer: ByteWriter, entity: FeatureEntity): void {
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
  for (let index = 0; index < entity.layout.features.length; index++) {
    const tail = entity.distinctTails[index];
    if (entity.layout.features[index]!.kind !== 'distinct') continue;
    writer.uint(tail?.size ?? 0);
    for (const [number, atMs] of tail?.sightings() ?? []) {
      writer.uint(number);
      writer.int(atMs);
    }
  }
  if (hasCounts(entity.layout)) writeCountTails(writer, entity.countTails);
  for (let index = 0; index < entity.layout.features.length; index++) {
    if (entity.layout.features[index]!.kind === 'profile') writeProfiles(writer, entity.profiles[index]);
    if (entity.layout.features[index]!.kind === 'fraudShare') writeFraudTimes(writer, entity.fraudTimes[index]);
  }
}

/** Whether a feature of it can have tails of counts: others do not pay a byte for them. */
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

/** The layout of what `writeFeatureEntity` wrote. */
export function readLayoutId(reader: ByteReader): number {
  return reader.uint();
}

/** Reads the rest of what `writeFeatureEntity` wrote into an empty entity of that layout. */
export function readFeatureEntity(reader: ByteReader, entity: FeatureEntity): void {
  const { layout } = entity;
  entity.sweepAt = reader.uint();
  for (let place = 0; place < layout.scalars; place++) if (reader.bool()) entity.setScalar(place, reader.int());
  const texts = reader.uint();
  if (texts > 0) entity.texts = new Dictionary(Array.from({ length: texts }, () => reader.text()));
  const wide = layout.columns.map(() => (reader.bool() ? [] : undefined));
  if (wide.some((values) => values !== undefined)) entity.wide = wide;
  const rows = reader.uint();
  let atMs = 0;
  for (let count = 0; count < rows; count++) {
    atMs += reader.int();
    readRow(reader, entity, entity.insertRow(atMs));
  }
  readTails(reader, entity);
  noteRows(entity);
}

function readRow(reader: ByteReader, entity: FeatureEntity, row: number): void {
  const { columns, maskWords } = entity.layout;
  for (let word = 0; word < maskWords; word++) entity.setMask(row, word, reader.uint());
  for (let column = 0; column < columns.length; column++) {
    const wide = entity.wide[column];
    if (wide === undefined) entity.setValue(row, column, reader.int());
    else wide[row] = reader.big();
  }
}

function readTails(reader: ByteReader, entity: FeatureEntity): void {
  const { features } = entity.layout;
  const tails = reader.uint();
  for (let index = 0; index < tails; index++) {
    const feature = reader.uint();
    const tail = new BucketTail({ feature, currency: reader.int(), kind: features[feature]!.kind });
    const buckets = reader.uint();
    for (let bucket = 0; bucket < buckets; bucket++) {
      const fromMs = reader.int();
      const toMs = fromMs + reader.uint();
      const bucket = { fromMs, toMs, count: reader.uint(), amount: reader.big(), weight: reader.big() };
      tail.append({ ...bucket, squares: tail.kind === 'stddev' ? reader.big() : 0n });
    }
    entity.tails = [...entity.tails, tail];
  }
  const distinctTails = features.map(({ kind }) => (kind === 'distinct' ? readDistinctTail(reader) : undefined));
  if (distinctTails.some((tail) => tail !== undefined)) entity.distinctTails = distinctTails;
  if (hasCounts(entity.layout)) readCountTails(reader, entity);
  const profiles: (Profiles | undefined)[] = features.map(() => undefined);
  const fraudTimes: (FraudTimes | undefined)[] = features.map(() => undefined);
  features.forEach(({ kind, halfLifeMs }, index) => {
    if (kind === 'profile') profiles[index] = readProfiles(reader, halfLifeMs);
    if (kind === 'fraudShare') fraudTimes[index] = readFraudTimes(reader);
  });
  if (profiles.some((one) => one !== undefined)) entity.profiles = profiles;
  if (fraudTimes.some((one) => one !== undefined)) entity.fraudTimes = fraudTimes;
}

function readCountTails(reader: ByteReader, entity: FeatureEntity): void {
  const tails = Array.from({ length: reader.uint() }, () => {
    const feature = reader.uint();
    const kind = entity.layout.features[feature]!.kind as 'spread' | 'values';
    const tail = new CountsTail({ feature, currency: reader.int(), kind });
    const buckets = reader.uint();
    for (let bucket = 0; bucket < buckets; bucket++) {
      const fromMs = reader.int();
      const toMs = fromMs + reader.uint();
      const count = reader.uint();
      const entries = Array.from({ length: reader.uint() }, () => [reader.int(), reader.uint()] as const);
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
  const size = reader.uint();
  if (size === 0) return undefined;
  const tail = new DistinctTail();
  tail.add(Array.from({ length: size }, () => [reader.uint(), reader.int()] as const));
  return tail;
}
