import { assert } from '@ringfence/contract';
import { idBytes } from './batch-message.ts';

/**
 * Where the frames of a block are, stored instead of them:
 *
 *     0xff (1) | version (1) | partition of the store (4) | its offset (8) | first entry (2) | entries (2) | append id (16)
 *
 * Numbers are big-endian, and entries count from 0. No frame begins with 0xff: it would be the kind of an entry. The
 * append id shows that what is at the offset is what was put there.
 */
export interface Place {
  readonly partition: number;
  readonly offset: number;
  readonly firstEntry: number;
  readonly count: number;
  readonly appendId: Buffer;
}

const mark = 0xff;
const version = 1;
const appendIdAt = 18;
export const placeBytes = appendIdAt + idBytes;

export function isPlace(frames: Uint8Array): boolean {
  return frames[0] === mark;
}

/** @returns the position after the place */
export function writePlace(into: Buffer, start: number, place: Place): number {
  into[start] = mark;
  into[start + 1] = version;
  into.writeUInt32BE(place.partition, start + 2);
  into.writeBigUInt64BE(BigInt(place.offset), start + 6);
  into.writeUInt16BE(place.firstEntry, start + 14);
  into.writeUInt16BE(place.count, start + 16);
  into.set(place.appendId, start + appendIdAt);
  return start + placeBytes;
}

export function readPlace(frames: Uint8Array): Place {
  const bytes = Buffer.from(frames.buffer, frames.byteOffset, frames.byteLength);
  assert(bytes.length === placeBytes && isPlace(bytes) && bytes[1] === version, 'a place is of a known form');
  return {
    partition: bytes.readUInt32BE(2),
    offset: Number(bytes.readBigUInt64BE(6)),
    firstEntry: bytes.readUInt16BE(14),
    count: bytes.readUInt16BE(16),
    appendId: bytes.subarray(appendIdAt),
  };
}
