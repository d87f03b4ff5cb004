/** The examples of the RFCs on which the device token is based. */
import { createECDH, diffieHellman, generateKeyPairSync, sign, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { concatKdf, otherInfoOf } from '../src/concat-kdf.ts';
import { derOf } from '../src/ecdsa-der.ts';
import { openSealed, readSealed } from '../src/open-sealed.ts';
import { openDeviceKey } from '../src/device-key.ts';
import { pemOf, type PointJwk } from '../src/p256.ts';

describe('RFC 7518 Appendix C: Alice and Bob agree on a key', () => {
  const alice = {
    kty: 'EC',
    crv: 'P-256',
    x: 'gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0',
    y: 'SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps',
  } as const;
  const bob = openDeviceKey({
    kty: 'EC',
    crv: 'P-256',
    x: 'weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ',
    y: 'e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck',
    d: 'VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw',
    kid: 'bob',
  });
  const secret = Buffer.from('9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4', 'hex');

  it('by their keys', () => {
    const agreed = diffieHellman({ privateKey: bob.privateKey, publicKey: pemOf(alice) });
    expect(agreed).toEqual(secret);
  });

  it('for A128GCM', () => {
    const info = otherInfoOf({ algorithm: 'A128GCM', sender: 'Alice', receiver: 'Bob', bits: 128 });
    expect(concatKdf(secret, info).subarray(0, 16).toString('base64url')).toBe('VqqN6vgjbSBcIijNcacQGg');
  });
});

describe('RFC 7516 Appendix A.1: a content under A256GCM', () => {
  const key = Buffer.from('b1a1f480548fe1733fb403ff6b9ad4f68a076e5b702e22692f82cb2e7aea40fc', 'hex');
  const parts = [
    'eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkEyNTZHQ00ifQ',
    '',
    '48V1_ALb6US04U3b',
    '5eym8TW_c8SuK0ltJ3rpYIzOeDQz7TALvtu6UG9oMo4vpzs9tX_EFShS8iB7j6jiSdiwkIr3ajwQzaBtQD_A',
    'XFBoMYUZodetZdvTiFvSkQ',
  ];

  it('is decrypted', () => {
    const sealed = readSealed(parts, 100)!;
    expect(openSealed(key, sealed).toString()).toBe('The true sign of intelligence is not knowledge but imagination.');
  });

  it('is not decrypted with another header', () => {
    const sealed = readSealed(['eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkExMjhHQ00ifQ', ...parts.slice(1)], 100)!;
    expect(() => openSealed(key, sealed)).toThrow('authenticate');
  });
});

describe("a signature in OpenSSL's form", () => {
  it("RFC 7515 Appendix A.3: the RFC's example is valid", () => {
    const input =
      'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ';
    const signature = 'DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q';
    const pem = pemOf({
      kty: 'EC',
      crv: 'P-256',
      x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
      y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
    });
    const der = derOf(Buffer.from(signature, 'base64url'));
    expect(verify('sha256', Buffer.from(input), pem, der)).toBe(true);
    expect(verify('sha256', Buffer.from(`${input}.`), pem, der)).toBe(false);
  });

  it('is valid for numbers of every length', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    for (let round = 0; round < 2_000; round++) {
      const input = Buffer.from(`round ${round}`);
      const plain = sign('sha256', input, { key: privateKey, dsaEncoding: 'ieee-p1363' });
      expect(verify('sha256', input, publicKey, derOf(plain)), plain.toString('hex')).toBe(true);
    }
  });

  it.each([
    ['00'.repeat(64), '3006020100020100'],
    [`${'00'.repeat(31)}7f${'00'.repeat(31)}80`, '300702017f02020080'],
    [`${'00'.repeat(30)}0100${'ff'.repeat(32)}`, `302702020100022100${'ff'.repeat(32)}`],
  ])('writes %s as %s', (plain, der) => {
    expect(derOf(Buffer.from(plain, 'hex')).toString('hex')).toBe(der);
  });
});

it('passes a key to OpenSSL as its point', () => {
  for (let round = 0; round < 100; round++) {
    const [ours, theirs] = [createECDH('prime256v1'), createECDH('prime256v1')];
    const [own, other] = [ours.generateKeys(), theirs.generateKeys()];
    const { privateKey } = openDeviceKey({ ...pointOf(own), d: ours.getPrivateKey('base64url'), kid: 'own' });
    expect(diffieHellman({ privateKey, publicKey: pemOf(pointOf(other)) })).toEqual(ours.computeSecret(other));
  }
});

/** An uncompressed point: a byte, then both coordinates. */
function pointOf(bytes: Buffer): PointJwk {
  return {
    kty: 'EC',
    crv: 'P-256',
    x: bytes.subarray(1, 33).toString('base64url'),
    y: bytes.subarray(33).toString('base64url'),
  };
}
