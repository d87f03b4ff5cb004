import { base64url, base64urlText, utf8 } from '../base64url.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** The claims of a proof: this device made this token, for this page, at this time. */
export interface ProofClaims {
  readonly id: string;
  readonly nonce: string;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly origin: string;
}

/** A key pair whose private half never leaves the browser and is not readable even by the page that created it. */
export function newDeviceKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
}

/** The claims as a compact JWS (RFC 7515), ES256, with the public key in its header as in RFC 9449. */
export async function signProof(claims: ProofClaims, keys: CryptoKeyPair): Promise<string> {
  const { crv, kty, x, y } = await crypto.subtle.exportKey('jwk', keys.publicKey);
  const header = base64urlText(
    JSON.stringify({ alg: 'ES256', typ: 'ringfence-device-proof', jwk: { crv, kty, x, y } }),
  );
  const signed = `${header}.${base64urlText(JSON.stringify(claims))}`;
  const signature = await crypto.subtle.sign(algorithm, keys.privateKey, utf8(signed));
  return `${signed}.${base64url(new Uint8Array(signature))}`;
}
