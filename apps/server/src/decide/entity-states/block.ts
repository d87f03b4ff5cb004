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
  const flags = block[at + flagsAt]!;
  const subjectEnd = at + subjectAt + block[at + flagsAt + 1]!;
  const expires = (flags & expiresFlag) !== 0;
  const subject = block.toString('latin1', at + subjectAt, subjectEnd);
  return {
    name: block.subarray(at + lengthBytes, at + lengthBytes + nameBytes),
    subject: subject === '' ? undefined : subject,
    expiresAtMs: expires ? block.readDoubleBE(subjectEnd) : undefined,
    sealed: (flags & deletedFlag) === 0 ? block.subarray(subjectEnd + (expires ? expiryBytes : 0), end) : undefined,
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

/** The entry with this name, or `undefined`. */
export function findEntry(block: Buffer, name: Buffer): Entry | undefined {
  for (let at = 0; at < block.length; at = endOfEntry(block, at)) {
    const order = compareName(block, at, name);
    if (order === 0) return decodeEntry(block, at);
    if (order > 0) return undefined;
  }
  return undefined;
}
