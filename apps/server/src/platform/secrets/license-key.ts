import { hash } from 'node:crypto';
import { generateSecret, isGeneratedSecret } from './generated-secret.ts';

const prefixes = { production: 'rf_live_', development: 'rf_test_' };
type Environment = keyof typeof prefixes;

/** Length limits of a client's own key; the upper one leaves room in an HTTP header. */
export const broughtKeyLengthMin = 32;
export const broughtKeyLengthMax = 512;

/** A new license key: `rf_live_` or `rf_test_` and a generated secret, 57 characters. */
export function makeLicenseKey(environment: Environment): string {
  return generateSecret(prefixes[environment]);
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
    if (isGeneratedSecret(prefixes[environment], text)) return { kind: 'generated', environment };
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
