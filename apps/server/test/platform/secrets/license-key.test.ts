import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  checkLicenseKey,
  licenseKeyHash,
  licenseKeyHint,
  makeLicenseKey,
} from '../../../src/platform/secrets/license-key.ts';

describe('a generated key', () => {
  it('shows its environment, and has only letters and digits', () => {
    expect(makeLicenseKey('production')).toMatch(/^rf_live_[0-9A-Za-z]{49}$/);
    expect(makeLicenseKey('development')).toMatch(/^rf_test_[0-9A-Za-z]{49}$/);
  });

  it('is recognised, with its environment', () => {
    expect(checkLicenseKey(makeLicenseKey('production'))).toEqual({ kind: 'generated', environment: 'production' });
    expect(checkLicenseKey(makeLicenseKey('development'))).toEqual({ kind: 'generated', environment: 'development' });
  });

  it('is unique', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => makeLicenseKey('production'))).size).toBe(1_000);
  });

  it('with one character changed fails its checksum', () => {
    const key = makeLicenseKey('production');
    fc.assert(
      fc.property(
        fc.integer({ min: 8, max: key.length - 1 }),
        fc.constantFrom('0', 'A', 'a', 'z', '9', 'Z'),
        (at, digit) => {
          fc.pre(key[at] !== digit);
          expect(checkLicenseKey(key.slice(0, at) + digit + key.slice(at + 1)).kind).toBe('refused');
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });

  it('that is truncated or has another environment is refused, without revealing the key', () => {
    const key = makeLicenseKey('production');
    for (const wrong of [key.slice(0, -1), `${key}0`, key.replace('live', 'test')]) {
      const check = checkLicenseKey(wrong);
      expect(check.kind).toBe('refused');
      expect(JSON.stringify(check)).not.toContain(key.slice(8, 20));
    }
  });
});

describe('a key chosen by the client', () => {
  it.each([
    ['32 digits', '1'.repeat(32)],
    ['512 characters', 'k'.repeat(512)],
    ['a UUID in braces', '{6F9619FF-8B86-D011-B42D-00CF4FC964FF}'],
    ['with spaces inside', 'correct horse battery staple correct horse'],
    ['with every special character', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~'.padEnd(40, '~')],
  ])('may be %s', (_, key) => {
    expect(checkLicenseKey(key)).toEqual({ kind: 'brought' });
  });

  it.each([
    ['31 characters', 'k'.repeat(31)],
    ['513 characters', 'k'.repeat(513)],
    ['a key with a trailing space', `${'k'.repeat(40)} `],
    ['a key with a line feed', `${'k'.repeat(20)}\n${'k'.repeat(20)}`],
    ['a key with a letter beyond ASCII', `${'k'.repeat(40)}é`],
  ])('may not be %s', (_, key) => {
    expect(checkLicenseKey(key).kind).toBe('refused');
  });
});

describe('the stored form of a key', () => {
  it('is its SHA-256 for lookup', () => {
    // Source: FIPS 180-2, appendix B.1
    expect(licenseKeyHash('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('shows at most its prefix and last four characters', () => {
    const key = makeLicenseKey('development');
    expect(licenseKeyHint(key)).toBe(`rf_test_…${key.slice(-4)}`);
    expect(licenseKeyHint('brought-along-key-of-some-bank-0042')).toBe('…0042');
  });
});
