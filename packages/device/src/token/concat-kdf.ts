import { utf8 } from '../base64url.ts';

/** The purpose of the derived key, which is hashed together with the shared secret. */
export interface KeyPurpose {
  /** The JWE's `enc`, because ECDH-ES agrees on the content key itself. */
  readonly algorithm: string;
  /** The JWE's `apu` and `apv`: sender and recipient. Our tokens have neither. */
  readonly sender?: Uint8Array;
  readonly receiver?: Uint8Array;
  /** At most 256: one round of SHA-256. */
  readonly bits: number;
}

/**
 * The content key of a JWE with `alg` ECDH-ES: one round of the Concat KDF with SHA-256 over the shared secret.
 * Source: RFC 7518 §4.6.2, with its example as a test; NIST SP 800-56A §5.8.1.
 */
export async function concatKdf(secret: ArrayBuffer, purpose: KeyPurpose): Promise<Uint8Array<ArrayBuffer>> {
  const none = new Uint8Array();
  const input = joined([
    uint32(1), // the round
    new Uint8Array(secret),
    ...withLength(utf8(purpose.algorithm)),
    ...withLength(purpose.sender ?? none),
    ...withLength(purpose.receiver ?? none),
    uint32(purpose.bits),
  ]);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', input), 0, purpose.bits / 8);
}

function withLength(bytes: Uint8Array): readonly Uint8Array[] {
  return [uint32(bytes.length), bytes];
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(parts.flatMap((part) => [...part]));
}
