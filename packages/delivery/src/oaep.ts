import { createHash, hash } from 'node:crypto';
import { assert } from '@ringfence/contract';

export interface OaepParameters {
  /** Bytes of the key's modulus. */
  readonly keyBytes: number;
  /** Hash of MGF1. The label is always hashed with SHA-256. */
  readonly mgf1Hash: 'sha256' | 'sha1';
  /** 32 random bytes, new for every message. */
  readonly seed: Uint8Array;
}

const hashBytes = 32;
const emptyLabelHash = hash('sha256', '', 'buffer');

/** The longest message for a key of this size, in bytes. */
export function oaepMessageBytesMax(keyBytes: number): number {
  return keyBytes - 2 * hashBytes - 2;
}

/**
 * EME-OAEP encoding with an empty label: `keyBytes` bytes for the bare RSA operation.
 *
 * Implemented here because Java's default for "OAEPWithSHA-256AndMGF1Padding" is MGF1 over SHA-1, and node:crypto
 * allows only one hash for both. Source: RFC 8017, 7.1.1 step 2 and B.2.1.
 */
export function oaepEncode(message: Uint8Array, parameters: OaepParameters): Buffer {
  const { keyBytes, mgf1Hash, seed } = parameters;
  assert(seed.length === hashBytes, 'the seed is as long as the hash');
  assert(message.length <= oaepMessageBytesMax(keyBytes), 'the message fits the key');

  const block = Buffer.alloc(keyBytes - hashBytes - 1);
  emptyLabelHash.copy(block, 0);
  block[block.length - message.length - 1] = 1;
  block.set(message, block.length - message.length);

  const maskedBlock = xor(block, mgf1(seed, block.length, mgf1Hash));
  const maskedSeed = xor(seed, mgf1(maskedBlock, hashBytes, mgf1Hash));
  return Buffer.concat([Buffer.alloc(1), maskedSeed, maskedBlock]);
}

function mgf1(seed: Uint8Array, length: number, mgf1Hash: 'sha256' | 'sha1'): Buffer {
  const parts: Buffer[] = [];
  const counter = Buffer.alloc(4);
  for (let made = 0, index = 0; made < length; index++) {
    counter.writeUInt32BE(index);
    const part = createHash(mgf1Hash).update(seed).update(counter).digest();
    parts.push(part);
    made += part.length;
  }
  return Buffer.concat(parts).subarray(0, length);
}

function xor(left: Uint8Array, right: Uint8Array): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));
}
