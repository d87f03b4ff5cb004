import type { ByteReader, ByteWriter } from '@ringfence/contract';
import type { ClientEntity } from '../../clients/client-entity.ts';
import { components, type Traits } from '../../devices/components.ts';
import type { KnownDevice } from '../../devices/known-device.ts';
import type { TraitStatistics } from '../../devices/trait-statistics.ts';
import { type CarriedFacts, carriedPaths } from '../../facts/carried-paths.ts';
import type { FamiliarPlaces } from '../../network/familiar-places.ts';
import type { SessionDraft } from '../../sessions/session.ts';

/*
 * Encodes what is familiar about a client (devices, places, carried facts of sessions), and the workspace's statistics
 * of devices. Lists that later releases may extend are written with their length: missing items are absent in old
 * bytes.
 */

/** Whether there is anything to write. */
export function hasFamiliar({ devices, places, sessions }: ClientEntity): boolean {
  return (
    devices.length > 0 ||
    places.addresses.length > 0 ||
    places.networks.length > 0 ||
    places.countries.length > 0 ||
    places.stop !== undefined ||
    sessions.all.some(({ carried }) => carried !== undefined)
  );
}

export function writeFamiliar(writer: ByteWriter, { devices, places, sessions }: ClientEntity): void {
  writeList(writer, devices, writeDevice);
  writeHashes(writer, places.addresses);
  writeHashes(writer, places.networks);
  writeHashes(writer, places.countries);
  writer.bool(places.stop !== undefined);
  if (places.stop !== undefined) {
    const { atMs, latitude, longitude, accuracyKm } = places.stop;
    writer.int(atMs);
    for (const value of [latitude, longitude, accuracyKm]) writeDouble(writer, value);
  }
  for (const { carried } of sessions.all) writeCarried(writer, carried);
}

/** Reads into a client whose sessions have been read. */
export function readFamiliar(reader: ByteReader, client: ClientEntity): void {
  client.devices = reader.list(() => readDevice(reader));
  client.places = {
    addresses: readHashes(reader),
    networks: readHashes(reader),
    countries: readHashes(reader),
    stop: readStop(reader),
  };
  for (const session of client.sessions.all) (session as SessionDraft).carried = readCarried(reader);
}

function readStop(reader: ByteReader): FamiliarPlaces['stop'] {
  if (!reader.bool()) return undefined;
  const atMs = reader.int();
  return { atMs, latitude: readDouble(reader), longitude: readDouble(reader), accuracyKm: readDouble(reader) };
}

function writeDevice(writer: ByteWriter, device: KnownDevice): void {
  writer.text(device.id);
  writer.text(device.provedId);
  writer.text(device.key);
  writer.int(device.firstSeenMs);
  writer.int(device.lastSeenMs);
  writer.uint(device.logins);
  writer.optionalInt(device.trustedAtMs);
  writer.int(device.shownHash);
  writeHashes(writer, device.traits ?? []);
}

function readDevice(reader: ByteReader): KnownDevice {
  return {
    id: reader.text(),
    provedId: reader.text(),
    key: reader.text(),
    firstSeenMs: reader.int(),
    lastSeenMs: reader.int(),
    logins: reader.uint(),
    trustedAtMs: reader.optionalInt(),
    shownHash: reader.int(),
    traits: readTraits(reader),
  };
}

function readTraits(reader: ByteReader): Traits | undefined {
  const hashes = readHashes(reader).map((hash) => hash >>> 0);
  return hashes.length === 0 ? undefined : components.map((_, place) => hashes[place] ?? 0);
}

const absent = 0;
const text = 1;
const whole = 2;
const double = 3;
const no = 4;
const yes = 5;

function writeCarried(writer: ByteWriter, carried: CarriedFacts | undefined): void {
  writer.uint(carried?.length ?? 0);
  for (const value of carried ?? []) {
    if (value === undefined) writer.uint(absent);
    else if (typeof value === 'boolean') writer.uint(value ? yes : no);
    else if (typeof value === 'string') {
      writer.uint(text);
      writer.text(value);
    } else if (Number.isSafeInteger(value)) {
      writer.uint(whole);
      writer.int(value);
    } else {
      writer.uint(double);
      writeDouble(writer, value);
    }
  }
}

function readCarried(reader: ByteReader): CarriedFacts | undefined {
  const values = reader.list(() => readValue(reader));
  return values.length === 0 ? undefined : carriedPaths.map((_, place) => values[place]);
}

function readValue(reader: ByteReader): CarriedFacts[number] {
  const kind = reader.uint();
  if (kind === text) return reader.text();
  if (kind === whole) return reader.int();
  if (kind === double) return readDouble(reader);
  return kind === absent ? undefined : kind === yes;
}

export function writeTraitStatistics(writer: ByteWriter, { counts, isEmpty }: TraitStatistics): void {
  writeList(writer, isEmpty ? [] : counts, (_, { again, kept, devices, values }) => {
    writer.uint(again);
    writer.uint(kept);
    writer.uint(devices);
    writer.uint(values.size);
    for (const [value, count] of values) {
      writer.uint(value);
      writer.uint(count);
    }
  });
}

export function readTraitStatistics(reader: ByteReader, statistics: TraitStatistics): void {
  const length = reader.uint();
  for (let place = 0; place < length; place++) {
    const count = statistics.counts[place]!;
    count.again = reader.uint();
    count.kept = reader.uint();
    count.devices = reader.uint();
    const values = reader.uint();
    for (let read = 0; read < values; read++) count.values.set(reader.uint(), reader.uint());
  }
}

function writeList<Item>(
  writer: ByteWriter,
  items: readonly Item[],
  write: (writer: ByteWriter, item: Item) => void,
): void {
  writer.uint(items.length);
  for (const item of items) write(writer, item);
}

function writeHashes(writer: ByteWriter, hashes: readonly number[]): void {
  writeList(writer, hashes, (to, hash) => to.int(hash));
}

function readHashes(reader: ByteReader): number[] {
  return reader.list(() => reader.int());
}

/** As the shortest decimal text, which is exact; there are only few. */
function writeDouble(writer: ByteWriter, value: number): void {
  writer.text(String(value));
}

function readDouble(reader: ByteReader): number {
  return Number(reader.text());
}
