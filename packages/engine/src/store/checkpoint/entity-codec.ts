import { assert, ByteReader, type ByteWriter, NewerFormError } from '@ringfence/contract';
import type { ClientEntity } from '../../clients/client-entity.ts';
import { readFeatureEntity, readLayoutId } from '../../features/store/feature-codec.ts';
import type { FeatureEntity } from '../../features/store/feature-entity.ts';
import type { SubjectId } from '../../record.ts';
import { DirectoryEntity, type Holder } from '../../sessions/directory-entity.ts';
import { clientVersion, clientVersionMin, clientVersionOf, readClient, writeClient } from './client-codec.ts';

/** Version at the start of every entity's snapshot, except clients, which have their own. */
export const snapshotVersion = 1;

/*
 * The encoded state of one entity: equal states give equal bytes. Reading throws an InvariantError for bytes that were
 * damaged, written under another key, or written before the first release, and a NewerFormError for a newer version.
 */

export function writeClientSnapshot(writer: ByteWriter, client: ClientEntity): void {
  writer.uint(clientVersionOf(client));
  writeClient(writer, client);
}

export function decodeClient(bytes: Uint8Array, subject: SubjectId): ClientEntity {
  return decode(bytes, (reader, version) => readClient(reader, subject, version), {
    known: clientVersion,
    oldest: clientVersionMin,
  });
}

export function writeDirectorySnapshot(writer: ByteWriter, { subject, untilMs }: Holder): void {
  beginDirectorySnapshot(writer, subject);
  writer.int(untilMs);
}

/** The prefix shared by the snapshots of all session names of a client, and by no others. */
export function beginDirectorySnapshot(writer: ByteWriter, subject: SubjectId): void {
  writer.uint(snapshotVersion);
  writer.bool(true);
  writer.text(subject);
}

export function decodeDirectory(bytes: Uint8Array, session: string): DirectoryEntity {
  return decode(bytes, (reader) => {
    const holder = reader.bool() ? { subject: reader.text(), untilMs: reader.int() } : undefined;
    return new DirectoryEntity(session, holder);
  });
}

/** Begins the snapshot of a feature entity; the group's data follows. */
export function beginFeatureSnapshot(writer: ByteWriter, subject: SubjectId | undefined): void {
  writer.uint(snapshotVersion);
  writer.text(subject ?? '');
}

/** @param begin creates an empty entity with this layout */
export function decodeFeature(bytes: Uint8Array, begin: (layout: number) => FeatureEntity): void {
  decode(bytes, (reader) => {
    reader.text();
    readFeatureEntity(reader, begin(readLayoutId(reader)));
  });
}

function decode<Value>(
  bytes: Uint8Array,
  read: (reader: ByteReader, version: number) => Value,
  { known, oldest }: KnownVersions = { known: snapshotVersion, oldest: snapshotVersion },
): Value {
  const reader = new ByteReader(bytes);
  const version = reader.uint();
  requireVersion(version, known, oldest);
  const value = read(reader, version);
  assert(reader.done, 'a snapshot has bytes after its last value');
  return value;
}

/** The versions that this release reads. */
interface KnownVersions {
  readonly known: number;
  readonly oldest: number;
}

/** @throws NewerFormError for a version beyond the known one; InvariantError for one that no release wrote */
export function requireVersion(version: number, known: number, oldest = known): void {
  if (version > known)
    throw new NewerFormError(`a snapshot of version ${version} was found, and this release reads version ${known}`);
  assert(
    version >= oldest,
    `a snapshot of version ${version} was found, which no release wrote, and this release reads version ${known}: restore a backup of a release, or start with an empty database`,
  );
}
