import { constants, type KeyObject, publicEncrypt, randomBytes } from 'node:crypto';
import { oaepEncode, oaepMessageBytesMax } from './oaep.ts';

/**
 * `clientRSA` of a webhook: the user in RSA-OAEP with SHA-256, base64; MGF1 over SHA-256 or, as Java's default wants
 * it, SHA-1. Two encryptions of one user differ.
 *
 * @param key one that `checkPublicKey` has let through
 * @returns `undefined` when the user is too long for the key (2,048 bits take 190 bytes, 3,072 take 318)
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
