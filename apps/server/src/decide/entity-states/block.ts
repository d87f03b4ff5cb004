import { assert } from '@ringfence/contract';

/**
 * The format of a block of a segment: entries, sorted by name, one behind the other.
 *
 *     length of the entry (4 bytes) | name (16) | flags (1) | length of the subject (1) | subject |
 *     time of expiry (8, a double, if the flag says so) | sealed state (the rest)
 *
 * All numbers are big-endian. An entry without a state says that the entity was deleted.
 */
export interface Entry {
  /** A keyed hash of the entity's key. */
  readonly name: Buffer;
  /** The client whose erasure removes it. ASCII. */
  readonly subject: string | undefined;
  /** Log time from which it equals an absent one, ms; `undefined` for never. */
  readonly expiresAtMs: number | undefined;
  /** `undefined`: deleted. */
  readonly sealed: Buffer | undefined;
}

/** Bytes of a name: 2^-64 chance of a clash among 2^32 entities. */
export const nameBytes = 16;

const lengthBytes = 4;
const flagsAt = lengthBytes + nameBytes;
const subjectAt = flagsAt + 2;
const expiryBytes = 8;

const deletedFlag = 1;
const expiresFlag = 2;

export function encodeEntry({ name, subject = '', expiresAtMs, sealed }: Entry): Buffer {
  assert(name.length === nameBytes, 'a name has 16 bytes');
  assert(subject.length < 256, 'a subject has less than 256 characters');
  const expiryAt = subjectAt + subject.length;
  const sealedAt = expiryAt + (expiresAtMs === undefined ? 0 : expiryBytes);
  const entry = Buffer.allocUnsafe(sealedAt + (sealed?.length ?? 0));
  entry.writeUInt32BE(entry.length, 0);
  name.copy(entry, lengthBytes);
  entry[flagsAt] = (sealed === undefined ? deletedFlag : 0) | (expiresAtMs === undefined ? 0 : expiresFlag);
  entry[flagsAt + 1] = subject.length;
  entry.write(subject, subjectAt, 'latin1');
  if (expiresAtMs !== undefined) entry.writeDoubleBE(expiresAtMs, expiryAt);
  sealed?.copy(entry, sealedAt);
  return entry;
}

/** The entry at `at`; its buffers are views. */
export function decodeEntry(block: Buffer, at: number): Entry {
  const end = endOfEntry(block, at);
  const expiresAtMs = expiryOf(block, at);
  const sealedAt = at + subjectAt + block[at + flagsAt + 1]! + (expiresAtMs === undefined ? 0 : expiryBytes);
  return {
    name: block.subarray(at + lengthBytes, at + lengthBytes + nameBytes),
    subject: subjectOf(block, at),
    expiresAtMs,
    sealed: isDeleted(block, at) ? undefined : block.subarray(sealedAt, end),
  };
}

/** Where the next entry begins. @throws InvariantError for malformed bytes */
export function endOfEntry(block: Buffer, at: number): number {
  const end = at + block.readUInt32BE(at);
  assert(end >= at + subjectAt && end <= block.length, 'a block of a segment has whole entries');
  return end;
}

/** The order of the name at `at` and another name. */
export function compareName(block: Buffer, at: number, name: Buffer): number {
  return block.compare(name, 0, nameBytes, at + lengthBytes, at + lengthBytes + nameBytes);
}

/** The first bytes of the name of the entry at `at`: a number that sorts like names do, equal ones apart. */
export function prefixAt(block: Buffer, at: number): number {
  return block.readUIntBE(at + lengthBytes, 6);
}

export function firstByte(entry: Buffer): number {
  return entry[lengthBytes]!;
}

/** Whether the entry at `at` says that the entity was deleted. */
export function isDeleted(block: Buffer, at: number): boolean {
  return (block[at + flagsAt]! & deletedFlag) !== 0;
}

/** When the entry at `at` expires; `undefined` for never. */
export function expiryOf(block: Buffer, at: number): number | undefined {
  if ((block[at + flagsAt]! & expiresFlag) === 0) return undefined;
  return block.readDoubleBE(at + subjectAt + block[at + flagsAt + 1]!);
}

/** The client of the entry at `at`. */
export function subjectOf(block: Buffer, at: number): string | undefined {
  const length = block[at + flagsAt + 1]!;
  return length === 0 ? undefined : block.toString('latin1', at + subjectAt, at + subjectAt + length);
}

/** Where the entry with this name begins; -1 if the block has none. */
export function findEntry(block: Buffer, name: Buffer): number {
  for (let at = 0; at < block.length; at = endOfEntry(block, at)) {
    const order = compareName(block, at, name);
    if (order === 0) return at;
    if (order > 0) return -1;
  }
  return -1;
}
