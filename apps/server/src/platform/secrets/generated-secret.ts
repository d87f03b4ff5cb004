import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, base62Digits } from './base62.ts';

/** 256 random bits are 43 digits of base62, the checksum's 32 bits are 6. */
const randomDigits = base62Digits(256);
const checksumDigits = base62Digits(32);

/**
 * A new secret: the prefix, 256 random bits, and a checksum that detects typing errors and lets secret scanners
 * recognise the secret offline. Letters and digits only, 49 characters after the prefix.
 */
export function generateSecret(prefix: string): string {
  const body = prefix + base62(randomBytes(32), randomDigits);
  return body + checksumOf(body);
}

/** Whether this text with the prefix has the length and the checksum of a generated secret. */
export function isGeneratedSecret(prefix: string, text: string): boolean {
  const isWhole = text.startsWith(prefix) && text.length === prefix.length + randomDigits + checksumDigits;
  return isWhole && text.endsWith(checksumOf(text.slice(0, -checksumDigits)));
}

function checksumOf(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return base62(bytes, checksumDigits);
}
