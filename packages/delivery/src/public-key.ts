import { createPublicKey, type KeyObject } from 'node:crypto';

export type PublicKeyCheck =
  | { readonly ok: true; readonly key: KeyObject; readonly bits: number; readonly warning: string | undefined }
  | { readonly ok: false; readonly reason: string };

/** Secure until well after 2030. Source: NIST SP 800-57, table 2. */
const bitsRecommended = 3_072;
const bitsMin = 2_048;
/** Above this size one encryption blocks the event loop for milliseconds without a benefit. */
const bitsMax = 8_192;
const pemLengthMax = 16_384;

/**
 * Checks the key that encrypts `clientRSA`: an RSA public key in PEM (SPKI, PKCS#1, or from a certificate), 3,072 bits
 * or more; 2,048 with a warning. Private keys are refused with a warning.
 */
export function checkPublicKey(pem: string): PublicKeyCheck {
  if (pem.length > pemLengthMax) return refused('longer than 16 KiB');
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    return refused('this is a private key: keep it secret, replace it if it was shared, and enter the public key');
  }
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch {
    return refused('not a public key in PEM');
  }
  // Keys of type rsa-pss are for signatures only; elliptic curves cannot encrypt.
  if (key.asymmetricKeyType !== 'rsa') return refused(`an RSA key is required, this one is ${key.asymmetricKeyType}`);

  const { modulusLength: bits = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  if (bits < bitsMin) return refused(`${bits} bits; at least ${bitsRecommended} are required`);
  if (bits > bitsMax) return refused(`${bits} bits; at most ${bitsMax} are supported`);
  if (publicExponent < 3n) return refused('its public exponent is 1');
  const warning =
    bits < bitsRecommended ? `${bits} bits are weak: ${bitsRecommended} or more are recommended` : undefined;
  return { ok: true, key, bits, warning };
}

function refused(reason: string): PublicKeyCheck {
  return { ok: false, reason };
}
