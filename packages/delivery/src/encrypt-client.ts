import { constants, type KeyObject, publicEncrypt, randomBytes } from 'node:crypto';
import { oaepEncode, oaepMessageBytesMax } from './oaep.ts';

/**
 * `clientRSA` of a webhook: the user in RSA-OAEP with SHA-256, base64. MGF1 uses SHA-256 or, for Java's default, SHA-1.
 * Encrypting the same user twice yields different texts.
 *
 * @param key one that `checkPublicKey` accepted
 * @returns `undefined` when the user is too long for the key (a 2,048-bit key fits 190 bytes, a 3,072-bit key 318)
 */
export function encryptClient(user: string, key: KeyObject, mgf1Hash: 'sha256' | 'sha1'): string | undefined {
  const message = Buffer.from(user);
  const keyBytes = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
  if (message.length > oaepMessageBytesMax(keyBytes)) return undefined;
  if (mgf1Hash === 'sha256') {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    return publicEncrypt({ key, padding, oaepHash: 'sha256' }, message).toString('base64');
  }
  const encoded = oaepEncode(message, { keyBytes, mgf1Hash, seed: randomBytes(32) });
  return publicEncrypt({ key, padding: constants.RSA_NO_PADDING }, encoded).toString('base64');
}
