import { describe, expect, it } from 'vitest';
import { base32, findTotpStep, totpCode, totpUri } from '../../../src/access/accounts/totp.ts';

/** Source: RFC 6238, appendix B, SHA-1. */
const secret = Buffer.from('12345678901234567890');
const vectors = [
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
] as const;

describe('a code', () => {
  it.each(vectors)('the code at %i s is that of the RFC', (seconds, expected) => {
    expect(totpCode(secret, Math.floor(seconds / 30), 8)).toBe(expected);
    expect(totpCode(secret, Math.floor(seconds / 30))).toBe(expected.slice(2));
  });
});

describe('a code that a person types', () => {
  const nowMs = 1_111_111_111_000;
  const present = Math.floor(nowMs / 30_000);
  const find = (code: string, afterStep = 0): number | undefined => findTotpStep(secret, code, { nowMs, afterStep });

  it.each([-1, 0, 1])('is accepted %i steps from now', (steps) => {
    expect(find(totpCode(secret, present + steps))).toBe(present + steps);
  });

  it.each([-2, 2])('is refused %i steps from now', (steps) => {
    expect(find(totpCode(secret, present + steps))).toBeUndefined();
  });

  it('is valid once: neither for a used step nor for an earlier one', () => {
    expect(find(totpCode(secret, present), present)).toBeUndefined();
    expect(find(totpCode(secret, present - 1), present)).toBeUndefined();
    expect(find(totpCode(secret, present + 1), present)).toBe(present + 1);
  });

  it.each(['', '12345', '1234567', 'abcdef'])('is refused as %j', (code) => {
    expect(find(code)).toBeUndefined();
  });
});

describe('the secret for an app', () => {
  /** Source: RFC 4648, section 10. */
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('%j in base32 is %j', (text, expected) => {
    expect(base32(Buffer.from(text))).toBe(expected);
  });

  it('is part of a URI that names the account', () => {
    expect(totpUri(secret, 'mara@bank.example')).toBe(
      'otpauth://totp/Ringfence:mara%40bank.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Ringfence&algorithm=SHA1&digits=6',
    );
  });
});
