import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, base62Digits } from './base62.ts';

/** 256 random bits are 43 digits of base62, the checksum's 32 bits are 6. */
const randomDigits = base62Digits(256);
const checksumDigits = base62Digits(32);

const prefixes = { production: 'rf_live_', development: 'rf_test_' };
type Environment = keyof typeof prefixes;

/** Length limits of a client's own key; the upper one leaves room in an HTTP header. */
export const broughtKeyLengthMin = 32;
export const broughtKeyLengthMax = 512;

/**
 * A new license key: `rf_live_` or `rf_test_`, 256 random bits, and a checksum that detects typing errors and lets
 * secret scanners recognise the key offline. Letters and digits only, 57 characters.
 */
export function makeLicenseKey(environment: Environment): string {
  const body = prefixes[environment] + base62(randomBytes(32), randomDigits);
  return body + checksumOf(body);
}

export type LicenseKeyCheck =
  | { readonly kind: 'generated'; readonly environment: Environment }
  | { readonly kind: 'brought' }
  /** `expected` completes the sentence "expected …". Reveals nothing about the key itself. */
  | { readonly kind: 'refused'; readonly expected: string };

/**
 * Classifies a string that is to be used as a license key. With our prefix it must have our form and checksum; any
 * other string of 32 to 512 printable ASCII characters is accepted as a client's own key.
 */
export function checkLicenseKey(text: string): LicenseKeyCheck {
  for (const environment of ['production', 'development'] as const) {
    if (!text.startsWith(prefixes[environment])) continue;
    const body = text.slice(0, -checksumDigits);
    const whole = text.length === prefixes[environment].length + randomDigits + checksumDigits;
    if (whole && text.endsWith(checksumOf(body))) return { kind: 'generated', environment };
    return {
      kind: 'refused',
      expected: `a whole key after ${prefixes[environment]}: its checksum is wrong (a typing error?)`,
    };
  }
  if (text.length < broughtKeyLengthMin || text.length > broughtKeyLengthMax) {
    return {
      kind: 'refused',
      expected: `${broughtKeyLengthMin} to ${broughtKeyLengthMax} characters, found ${text.length}`,
    };
  }
  // The key is sent in an HTTP header, which trims white space at both ends and has no agreed encoding beyond ASCII.
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text)) {
    return { kind: 'refused', expected: 'printable ASCII characters, without leading or trailing white space' };
  }
  return { kind: 'brought' };
}

/** The hash that is stored for lookup. A client's own key is only as secret as the client made it. */
export function licenseKeyHash(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** Enough to recognise a key in a list, too little to use it: the prefix and the last four characters. */
export function licenseKeyHint(key: string): string {
  const prefix = Object.values(prefixes).find((prefix) => key.startsWith(prefix)) ?? '';
  return `${prefix}…${key.slice(-4)}`;
}

function checksumOf(body: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return base62(bytes, checksumDigits);
}
