import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { decodeSecret, hasKey, isSigned } from '../../src/webhook/credentials.ts';
import { otherSecret, secret } from './signed-request.ts';

describe('the key', () => {
  const keys = ['first key, of thirty-two characters', 'second-key-of-thirty-two-characters'];

  it.each([
    ['Bearer first key, of thirty-two characters', true],
    ['bearer second-key-of-thirty-two-characters', true],
    ['Bearer first key, of thirty-two character', false],
    ['Bearer first key, of thirty-two characters!', false],
    ['Basic first key, of thirty-two characters', false],
    ['first key, of thirty-two characters', false],
    ['Bearer ', false],
    ['Bearer', false],
    [undefined, false],
  ])('in %j is valid: %j', (authorization, isRight) => {
    expect(hasKey(authorization, keys)).toBe(isRight);
  });
});

describe('a signature', () => {
  const secrets = [decodeSecret(secret)];
  const signedBy = (text: string, by = secret): { id: string; timestamp: string; signature: string } => {
    const at = new Date(1_700_000_000_000);
    return { id: 'act_1', timestamp: '1700000000', signature: new Webhook(by).sign('act_1', at, text) };
  };

  it('of the independent library is valid, for any body', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(isSigned(signedBy(text), Buffer.from(text), secrets)).toBe(true);
      }),
      { seed: 1, numRuns: 1_000 },
    );
  });

  it('is invalid when one bit of the body, the id or the time differs', () => {
    const signed = signedBy('body');
    expect(isSigned(signed, Buffer.from('bodz'), secrets)).toBe(false);
    expect(isSigned({ ...signed, id: 'act_2' }, Buffer.from('body'), secrets)).toBe(false);
    expect(isSigned({ ...signed, timestamp: '1700000001' }, Buffer.from('body'), secrets)).toBe(false);
  });

  it.each([
    ['empty', ''],
    ['cut', signedBy('body').signature.slice(0, -2)],
    ['longer', `${signedBy('body').signature}AAAA`],
    ['of another version', signedBy('body').signature.replace('v1,', 'v2,')],
    ['without version', signedBy('body').signature.replace('v1,', '')],
    ['of another secret', signedBy('body', otherSecret).signature],
    ['behind too many others', `${'v1,AAAA '.repeat(8)}${signedBy('body').signature}`],
  ])('that is %s is invalid', (_, signature) => {
    expect(isSigned({ ...signedBy('body'), signature }, Buffer.from('body'), secrets)).toBe(false);
  });

  it('is valid if any of the given ones is, under any of the secrets', () => {
    const signature = `v1,AAAA ${signedBy('body', otherSecret).signature}`;
    const both = [decodeSecret(secret), decodeSecret(otherSecret)];
    expect(isSigned({ ...signedBy('body'), signature }, Buffer.from('body'), both)).toBe(true);
  });
});

it.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'whsec_not base64 at all, although long enough', 'x'.repeat(20)])(
  '%j is not a secret',
  (text) => {
    expect(() => decodeSecret(text)).toThrow(TypeError);
  },
);

it('a secret has at least 24 bytes', () => {
  expect(decodeSecret(Buffer.alloc(24, 1).toString('base64'))).toHaveLength(24);
  expect(() => decodeSecret(Buffer.alloc(23, 1).toString('base64'))).toThrow(TypeError);
});

it('a secret may come without its prefix', () => {
  expect(decodeSecret(secret.replace('whsec_', ''))).toEqual(decodeSecret(secret));
});
