import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashClient } from '../src/hash-client.ts';

const pepper = Buffer.from('0b'.repeat(32), 'hex');
const other = Buffer.from('0c'.repeat(32), 'hex');

describe('the client in a webhook', () => {
  it('is HMAC-SHA-256 in hex, as any other language computes it', () => {
    // python3: hmac.new(bytes.fromhex('0b'*32), 'ana.pérez'.encode(), 'sha256').hexdigest()
    expect(hashClient('ana.pérez', pepper)).toBe('e0d7494d6f6d1d0949f897560966cf412a3f788ec43a2414052db96e645807a2');
  });

  it('is plain SHA-256 without a pepper', () => {
    expect(hashClient('abc', undefined)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('is the same for two Unicode encodings of one name', () => {
    expect(hashClient('ana.pe\u0301rez', pepper)).toBe(hashClient('ana.p\u00e9rez', pepper));
  });

  it('differs from workspace to workspace, and from client to client', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (left, right) => {
        expect(hashClient(left, pepper)).not.toBe(hashClient(left, other));
        const same = left.normalize() === right.normalize();
        expect(hashClient(left, pepper) === hashClient(right, pepper)).toBe(same);
      }),
      { seed: 1 },
    );
  });

  it('is rejected for text that is not well-formed Unicode', () => {
    expect(() => hashClient('a\ud800', pepper)).toThrow('well-formed');
  });
});
