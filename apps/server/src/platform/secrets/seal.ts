import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';
import { keyObjectOf } from './key-object.ts';

const version = 1;
const ivBytes = 12;
const tagBytes = 16;
const headBytes = 1 + ivBytes;

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

/** A sealed value that cannot be decrypted: another key, another context, or changed bytes. */
export class SealError extends Error {
  override readonly name = 'SealError';
}

/**
 * Encrypts bytes under a 32-byte key (AES-256-GCM, random 96-bit IV): `version | iv | ciphertext | tag`, 29 bytes
 * longer than the plaintext. `context` is authenticated: the value can only be decrypted with the same context.
 */
export function seal(key: Uint8Array | KeyObject, plaintext: Uint8Array, context: string): Buffer {
  const iv = nextIv();
  const cipher = createCipheriv('aes-256-gcm', keyObjectOf(key), iv);
  cipher.setAAD(Buffer.from(context));
  const body = cipher.update(plaintext);
  cipher.final();
  const sealed = Buffer.allocUnsafe(headBytes + body.length + tagBytes);
  sealed[0] = version;
  iv.copy(sealed, 1);
  body.copy(sealed, headBytes);
  cipher.getAuthTag().copy(sealed, headBytes + body.length);
  return sealed;
}

/** @throws SealError */
export function open(key: Uint8Array | KeyObject, sealed: Uint8Array, context: string): Buffer {
  if (sealed.length < headBytes + tagBytes || sealed[0] !== version) throw new SealError('not a sealed value');
  const tagAt = sealed.length - tagBytes;
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyObjectOf(key), sealed.subarray(1, headBytes));
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(tagAt));
    const plaintext = decipher.update(sealed.subarray(headBytes, tagAt));
    decipher.final();
    return plaintext;
  } catch (cause) {
    throw new SealError('the sealed value cannot be decrypted', { cause });
  }
}

/** Like `open`, but returns `undefined` for a damaged value, so that it does not hide the others in a list. */
export function openUndamaged(key: Uint8Array | KeyObject, sealed: Uint8Array, context: string): Buffer | undefined {
  try {
    return open(key, sealed, context);
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}
