/** Tokens made with jose: an independent implementation. */
import { CompactEncrypt, importJWK } from 'jose';
import type { DeviceKey } from '../../src/device-key.ts';

/** A token of any content, as any JOSE library makes it. */
export async function tokenOf(content: unknown, { publicJwk }: DeviceKey): Promise<string> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: publicJwk.kid, typ: 'ringfence-device' })
    .encrypt(await importJWK({ ...publicJwk }));
}

/** The minimal content of a token. */
export const bareContent = {
  format: 1,
  iat: 1_795_300_236,
  nonce: 'AAECAwQFBgcICQoLDA0ODw',
  origin: 'https://bank.example',
  sdk: 'ringfence-web/0.1.0',
  channelId: 2,
  profile: 'essential',
  tookMs: 61,
  device: { absent: 'off' },
  signals: {},
  absent: {},
} as const;
