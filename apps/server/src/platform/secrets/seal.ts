import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';
import { keyObjectOf } from './key-object.ts';
import { keyOfRange, nextInRange } from './sealing-ranges.ts';

/** What this release writes. */
const version = 2;
/** What earlier releases wrote: without a range, and bound to `Place.of` alone. */
const versionBefore = 1;
const rangeBytes = 4;
const ivBytes = 12;
const tagBytes = 16;

/** Random bytes for initialisation vectors, drawn in bulk: one call of the generator serves 1,024 of them. */
const ivPool = Buffer.alloc(ivBytes * 1_024);
let ivAt = ivPool.length;

function nextIv(): Buffer {
  if (ivAt === ivPool.length) {
    randomFillSync(ivPool);
    ivAt = 0;
  }
  ivAt += ivBytes;
  return ivPool.subarray(ivAt - ivBytes, ivAt);
}

/** A sealed value that cannot be decrypted: another key, another place, or changed bytes. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/** Where a sealed value belongs. It cannot be opened anywhere else. */
export interface Place {
  /** Its kind, and the workspace and client that it belongs to. Values of an earlier release are bound to this alone. */
  readonly of: string;
  /** Which one of those: the key of its row. Empty where `of` names the row, or where there is only one. */
  readonly row: string;
}

/**
 * Encrypts bytes under a 32-byte key: `version | range | iv | ciphertext | tag`, 33 bytes longer than the plaintext.
 * AES-256-GCM with a random 96-bit IV, under the key itself (range 0) or one derived from it (`sealing-ranges.ts`).
 * The place is authenticated: the value can only be decrypted with the same place.
 */
export function seal(key: Uint8Array | KeyObject, plaintext: Uint8Array, place: Place): Buffer {
  const iv = nextIv();
  const { range, key: rangeKey } = nextInRange(key);
  const cipher = createCipheriv('aes-256-gcm', rangeKey, iv);
  cipher.setAAD(Buffer.from(boundTo(place)));
  const body = cipher.update(plaintext);
  cipher.final();
  const headBytes = 1 + rangeBytes + ivBytes;
  const sealed = Buffer.allocUnsafe(headBytes + body.length + tagBytes);
  sealed[0] = version;
  sealed.writeUInt32BE(range, 1);
  iv.copy(sealed, 1 + rangeBytes);
  body.copy(sealed, headBytes);
  cipher.getAuthTag().copy(sealed, headBytes + body.length);
  return sealed;
}

/** @throws SealError */
export function open(key: Uint8Array | KeyObject, sealed: Uint8Array, place: Place): Buffer {
  const ivAt = sealed[0] === version ? 1 + rangeBytes : 1;
  const bodyAt = ivAt + ivBytes;
  const tagAt = sealed.length - tagBytes;
  if (tagAt < bodyAt || (sealed[0] !== version && sealed[0] !== versionBefore))
    throw new SealError('not a sealed value');
  const isBefore = sealed[0] === versionBefore;
  try {
    const opening = isBefore ? keyObjectOf(key) : keyOfRange(key, readUInt32(sealed, 1));
    const decipher = createDecipheriv('aes-256-gcm', opening, sealed.subarray(ivAt, bodyAt));
    decipher.setAAD(Buffer.from(isBefore ? place.of : boundTo(place)));
    decipher.setAuthTag(sealed.subarray(tagAt));
    const plaintext = decipher.update(sealed.subarray(bodyAt, tagAt));
    decipher.final();
    return plaintext;
  } catch (cause) {
    throw new SealError('the sealed value cannot be decrypted', { cause });
  }
}

/** No name of a place has a line feed. */
function boundTo({ of, row }: Place): string {
  return `${of}\n${row}`;
}

function readUInt32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

/** Like `open`, but returns `undefined` for a damaged value, so that it does not hide the others in a list. */
export function openUndamaged(key: Uint8Array | KeyObject, sealed: Uint8Array, place: Place): Buffer | undefined {
  try {
    return open(key, sealed, place);
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}
