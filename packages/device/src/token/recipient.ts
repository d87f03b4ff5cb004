/** A public key as the workspace publishes it. Members that are not named here are ignored. */
export interface PublicJwk {
  readonly kty: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly kid?: string;
  readonly use?: string;
  readonly alg?: string;
}

/** A JWK set (RFC 7517 §5), as the workspace publishes it. */
export interface PublicJwkSet {
  readonly keys: readonly PublicJwk[];
}

/** The key that a token is encrypted to, imported for WebCrypto. */
export interface Recipient {
  readonly kid: string;
  readonly key: CryptoKey;
}

const curve: EcKeyImportParams = { name: 'ECDH', namedCurve: 'P-256' };

/**
 * The first key of the set that a token can be encrypted to: EC on P-256, with a `kid`, for encryption.
 * @throws Error that names what is wrong with the keys
 */
export async function chooseRecipient(keys: PublicJwkSet | PublicJwk): Promise<Recipient> {
  const all = listOf(keys);
  // A page with the private key has published it to everyone: this is reported, not worked around.
  if (all.some((jwk) => 'd' in jwk)) throw new Error('keys: a private key (member d) must never be in a page');
  const usable = all.find(isUsable);
  if (usable === undefined) throw new Error('keys: none is EC on P-256 with a kid, for encryption (ECDH-ES)');
  const { crv, kid, kty, x, y } = usable;
  return { kid, key: await crypto.subtle.importKey('jwk', { crv, kty, x, y } as JsonWebKey, curve, false, []) };
}

function listOf(keys: PublicJwkSet | PublicJwk): readonly PublicJwk[] {
  const { keys: set, kty } = (keys ?? {}) as Partial<PublicJwkSet & PublicJwk>;
  if (Array.isArray(set)) return set;
  if (typeof kty === 'string') return [keys as PublicJwk];
  throw new Error('keys: expected a key set as `ringfence device-key list --json` prints it, or one key of it');
}

function isUsable(jwk: PublicJwk): jwk is PublicJwk & { readonly kid: string } {
  return (
    jwk.kty === 'EC' &&
    jwk.crv === 'P-256' &&
    typeof jwk.kid === 'string' &&
    (jwk.use ?? 'enc') === 'enc' &&
    (jwk.alg ?? 'ECDH-ES') === 'ECDH-ES'
  );
}
