import { createDecipheriv, createSecretKey } from 'node:crypto';
import { bytesOf } from './base64url.ts';

export const ivBytes = 12;
export const tagBytes = 16;

/** The parts of a compact JWE that A256GCM needs. */
export interface Sealed {
  /** The first part as in the token, because the tag authenticates it. */
  readonly head: string;
  readonly iv: Buffer;
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

/** `undefined` for parts of other lengths, or in another encoding. */
export function readSealed([head, , iv, ciphertext, tag]: readonly string[], bytesMax: number): Sealed | undefined {
  const sealed = { head: head!, iv: bytesOf(iv!), ciphertext: bytesOf(ciphertext!), tag: bytesOf(tag!) };
  if (sealed.iv?.length !== ivBytes || sealed.tag?.length !== tagBytes) return undefined;
  if (sealed.ciphertext === undefined || sealed.ciphertext.length > bytesMax) return undefined;
  return sealed as Sealed;
}

/** @throws if the tag is invalid */
export function openSealed(key: Uint8Array, { head, iv, ciphertext, tag }: Sealed): Buffer {
  // A key object, because Node detects by exceptions that bytes are not one (docs/decisions/0104).
  const decipher = createDecipheriv('aes-256-gcm', createSecretKey(key), iv, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(head, 'ascii'));
  decipher.setAuthTag(tag);
  const content = decipher.update(ciphertext);
  decipher.final();
  return content;
}
