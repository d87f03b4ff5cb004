import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkPublicKey } from '../src/public-key.ts';

function rsa(modulusLength: number): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('rsa', { modulusLength });
}

const strong = rsa(3_072);
const spki = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' });

describe('a key for clientRSA', () => {
  it('is accepted with 3,072 bits, in SPKI or PKCS#1', () => {
    for (const type of ['spki', 'pkcs1'] as const) {
      const pem = strong.publicKey.export({ type, format: 'pem' });
      expect(checkPublicKey(pem)).toMatchObject({ ok: true, bits: 3_072, warning: undefined });
    }
  });

  it('is accepted with a warning with 2,048 bits', () => {
    const checked = checkPublicKey(spki(rsa(2_048).publicKey));
    expect(checked).toMatchObject({ ok: true, bits: 2_048 });
    expect(checked.ok && checked.warning).toContain('3072');
  });

  it.each<[string, () => string, RegExp]>([
    ['less than 2,048 bits', () => spki(rsa(1_024).publicKey), /1024 bits/],
    ['an odd size below the bound', () => spki(rsa(2_040).publicKey), /2040 bits/],
    ['a private key', () => strong.privateKey.export({ type: 'pkcs8', format: 'pem' }), /private key/],
    ['a private key of PKCS#1', () => strong.privateKey.export({ type: 'pkcs1', format: 'pem' }), /private/],
    [
      'a key for signatures only',
      () => spki(generateKeyPairSync('rsa-pss', { modulusLength: 3_072 }).publicKey),
      /rsa-pss/,
    ],
    ['an elliptic curve', () => spki(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey), /ec/],
    ['text', () => 'hello', /not a public key/],
    ['nothing', () => '', /not a public key/],
    ['a damaged key', () => spki(strong.publicKey).replace(/(MII.{40}).{20}/, '$1'), /not a public key/],
    ['a novel', () => 'x'.repeat(20_000), /16 KiB/],
  ])('is refused: %s', (_, make, reason) => {
    const checked = checkPublicKey(make());
    expect(checked.ok).toBe(false);
    expect(!checked.ok && checked.reason).toMatch(reason);
  });
});
