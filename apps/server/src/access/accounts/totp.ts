import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time-based one-time passwords (TOTP) of authenticator apps. Source: RFC 6238, with SHA-1, 30 s, 6 digits. */
const totpStepMs = 30_000;
const digits = 6;
/** The length of the hash. Source: RFC 4226, section 4. */
const secretBytes = 20;
/** Accepted steps before and after the current one: clocks differ, and people are slow. Source: RFC 6238, 5.2. */
const stepsAround = 1;

export function makeTotpSecret(): Buffer {
  return randomBytes(secretBytes);
}

/** Computes the code of one step. Source: RFC 4226, section 5.3. */
export function totpCode(secret: Uint8Array, step: number, length = digits): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const at = mac[mac.length - 1]! & 0x0f;
  const number = mac.readUInt32BE(at) & 0x7fff_ffff;
  return String(number % 10 ** length).padStart(length, '0');
}

/** Finds the step of a code near the current time and after `afterStep`; `undefined` for a wrong or used code. */
export function findTotpStep(
  secret: Uint8Array,
  code: string,
  at: { readonly nowMs: number; readonly afterStep: number },
): number | undefined {
  const present = Math.floor(at.nowMs / totpStepMs);
  const given = Buffer.from(code);
  for (let step = present - stepsAround; step <= present + stepsAround; step++) {
    if (step <= at.afterStep) continue;
    const expected = Buffer.from(totpCode(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected)) return step;
  }
  return undefined;
}

const base32Digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 base32 without padding, for typing into an app. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32Digits.charAt((value >>> bits) & 31);
    }
    value &= 0xff;
  }
  return bits === 0 ? text : text + base32Digits.charAt((value << (5 - bits)) & 31);
}

/** The content of the QR code. Source: the Key URI format of Google Authenticator. */
export function totpUri(secret: Uint8Array, email: string): string {
  const query = new URLSearchParams({ secret: base32(secret), issuer: 'Ringfence', algorithm: 'SHA1', digits: '6' });
  return `otpauth://totp/Ringfence:${encodeURIComponent(email)}?${query.toString()}`;
}
