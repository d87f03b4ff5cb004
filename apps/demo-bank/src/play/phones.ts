import { randomBytes } from 'node:crypto';
import { CompactEncrypt, CompactSign, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';

/** A telephone with the bank's app: an id and a key that it keeps. */
interface Phone {
  readonly id: string;
  readonly createdAt: number;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

/**
 * Telephones of clients. They make tokens as docs/guides/device-token.md describes them for apps; the browser page uses
 * `@ringfence/device`.
 */
export class Phones {
  readonly #keys: { readonly keys: readonly JWK[] };
  readonly #phones = new Map<string, Promise<Phone>>();

  /** @param deviceKeys JWK set of the workspace */
  constructor(deviceKeys: string) {
    this.#keys = JSON.parse(deviceKeys) as { readonly keys: readonly JWK[] };
  }

  /** The token for `data` of a login. The same name is the same telephone. */
  async tokenOf(name: string, channelId: number): Promise<string> {
    const made = this.#phones.get(name) ?? newPhone();
    this.#phones.set(name, made);
    const { id, createdAt, privateKey, publicJwk } = await made;
    const claims = { id, nonce: randomId(), iat: nowSeconds(), origin: 'android:com.example.bank' };
    const proof = await new CompactSign(bytesOf(claims))
      .setProtectedHeader({ alg: 'ES256', typ: 'ringfence-device-proof', jwk: publicJwk })
      .sign(privateKey);
    const { nonce, iat, origin } = claims;
    const content = {
      format: 1,
      nonce,
      iat,
      origin,
      sdk: 'demo-app/1.0.0',
      channelId,
      profile: 'essential',
      tookMs: 9,
      device: { id, createdAt, found: [], proof },
      signals: { timezone: 'America/Mexico_City' },
      absent: {},
    };
    const key = this.#keys.keys[0];
    if (key?.kid === undefined) throw new Error('the workspace has no key for device tokens');
    return new CompactEncrypt(bytesOf(content))
      .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: key.kid, typ: 'ringfence-device' })
      .encrypt(await importJWK(key, 'ECDH-ES'));
  }
}

async function newPhone(): Promise<Phone> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const { kty, crv, x, y } = await exportJWK(publicKey);
  return { id: randomId(), createdAt: nowSeconds(), privateKey, publicJwk: { kty, crv, x, y } as JWK };
}

function randomId(): string {
  return randomBytes(16).toString('base64url');
}

function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

function bytesOf(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}
