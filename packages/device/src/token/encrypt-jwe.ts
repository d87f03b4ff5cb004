import { base64url, base64urlText, utf8 } from '../base64url.ts';
import { concatKdf } from './concat-kdf.ts';
import type { Recipient } from './recipient.ts';

/** The random values of a token. The caller provides them, so that a test can fix them. */
export interface TokenChance {
  /** A P-256 key pair for ECDH, created for this token alone. */
  readonly ephemeral: CryptoKeyPair;
  /** 12 bytes, the size required by AES-GCM. */
  readonly iv: Uint8Array<ArrayBuffer>;
}

export async function newTokenChance(): Promise<TokenChance> {
  const curve = { name: 'ECDH', namedCurve: 'P-256' };
  return {
    ephemeral: await crypto.subtle.generateKey(curve, false, ['deriveBits']),
    iv: crypto.getRandomValues(new Uint8Array(12)),
  };
}

const contentAlgorithm = 'A256GCM';
const keyBits = 256;
const tagBytes = 16;

/**
 * The text as a compact JWE (RFC 7516) that only the recipient's private key opens: ECDH-ES on P-256, A256GCM.
 *
 *     header . (empty: no wrapped key) . iv . ciphertext . tag
 */
export async function encryptJwe(text: string, recipient: Recipient, chance: TokenChance): Promise<string> {
  const { ephemeral, iv } = chance;
  const { crv, kty, x, y } = await crypto.subtle.exportKey('jwk', ephemeral.publicKey);
  const header = base64urlText(
    JSON.stringify({
      alg: 'ECDH-ES',
      enc: contentAlgorithm,
      kid: recipient.kid,
      typ: 'ringfence-device',
      epk: { crv, kty, x, y },
    }),
  );
  const agreement = { name: 'ECDH', public: recipient.key };
  const secret = await crypto.subtle.deriveBits(agreement, ephemeral.privateKey, keyBits);
  const contentKey = await concatKdf(secret, { algorithm: contentAlgorithm, bits: keyBits });
  const key = await crypto.subtle.importKey('raw', contentKey, 'AES-GCM', false, ['encrypt']);
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: utf8(header) }, key, utf8(text)),
  );
  const parts = [iv, sealed.subarray(0, -tagBytes), sealed.subarray(-tagBytes)];
  return `${header}..${parts.map(base64url).join('.')}`;
}
