import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { open, seal, SealError } from '../../../src/platform/secrets/seal.ts';

const key = Buffer.alloc(32, 7);

describe('a sealed value', () => {
  it('is decrypted by its key in its context', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.string(), (bytes, context) => {
        expect(open(key, seal(key, bytes, context), context)).toEqual(Buffer.from(bytes));
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it('is version, iv, ciphertext and tag: 29 bytes longer', () => {
    const sealed = seal(key, Buffer.from('hello'), 'here');
    expect(sealed[0]).toBe(1);
    expect(sealed).toHaveLength(5 + 29);
  });

  it('never has the same IV twice', () => {
    const ivs = Array.from({ length: 3_000 }, () => seal(key, Buffer.alloc(0), 'x').subarray(1, 13).toString('hex'));
    expect(new Set(ivs).size).toBe(3_000);
  });

  it.each([
    ['under another key', (sealed: Buffer) => open(randomBytes(32), sealed, 'event:a')],
    ['in another context', (sealed: Buffer) => open(key, sealed, 'event:b')],
    ['cut short', (sealed: Buffer) => open(key, sealed.subarray(0, -1), 'event:a')],
    [
      'of another version',
      (sealed: Buffer) => open(key, Buffer.concat([Buffer.from([2]), sealed.subarray(1)]), 'event:a'),
    ],
    ['empty', () => open(key, Buffer.alloc(0), 'event:a')],
  ])('%s cannot be decrypted', (_, tamper) => {
    expect(() => tamper(seal(key, Buffer.from('secret'), 'event:a'))).toThrow(SealError);
  });

  it('cannot be decrypted with any bit changed', () => {
    const sealed = seal(key, Buffer.from('secret'), 'event:a');
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      expect(() => open(key, changed, 'event:a'), `byte ${at}`).toThrow(SealError);
    }
  });
});
