import { hash } from 'node:crypto';

/** The purpose of a derived key (RFC 7518 §4.6.2). */
export interface KeyPurpose {
  /** The JWE's `enc`, because ECDH-ES agrees on the content key itself. */
  readonly algorithm: string;
  /** The JWE's `apu` and `apv`: sender and recipient. Our tokens have neither. */
  readonly sender?: string;
  readonly receiver?: string;
  /** At most 256: one round of SHA-256. */
  readonly bits: number;
}

/** The bytes that follow the shared secret: the same for all keys of one purpose. */
export function otherInfoOf({ algorithm, sender = '', receiver = '', bits }: KeyPurpose): Buffer {
  return Buffer.concat([...[algorithm, sender, receiver].map(withLength), uint32(bits)]);
}

/** One round of the Concat KDF with SHA-256: 32 bytes, shortened to the key length of the purpose. */
export function concatKdf(sharedSecret: Uint8Array, otherInfo: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([firstRound, sharedSecret, otherInfo]), 'buffer');
}

function withLength(text: string): Buffer {
  return Buffer.concat([uint32(Buffer.byteLength(text)), Buffer.from(text)]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const firstRound = uint32(1);
