import { createCipheriv, randomBytes } from 'node:crypto';

/** Seals as releases did that bound values to less, and knew no ranges of a key: `version 1 | iv | ciphertext | tag`. */
export function sealAsBefore(key: Uint8Array, plaintext: Uint8Array, of: string): Buffer {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  cipher.setAAD(Buffer.from(of));
  return Buffer.concat([Buffer.of(1), iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
}
