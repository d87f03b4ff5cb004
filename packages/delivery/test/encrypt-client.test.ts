import { constants, generateKeyPairSync, privateDecrypt, publicEncrypt } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encryptClient } from '../src/encrypt-client.ts';
import { oaepEncode } from '../src/oaep.ts';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

/** Node's own decryption, which uses one hash for both: checks SHA-256. SHA-1 is checked against openssl. */
function decrypt(sealed: Uint8Array): Buffer {
  return privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }, sealed);
}

describe('clientRSA', () => {
  it('can be decrypted with the private key, and differs each time', () => {
    const [first = '', second = ''] = ['ana', 'ana'].map((user) => encryptClient(user, publicKey, 'sha256'));
    for (const text of [first, second]) expect(decrypt(Buffer.from(text, 'base64')).toString()).toBe('ana');
    expect(first).not.toBe(second);
  });

  it.each(['sha256', 'sha1'] as const)('accepts only users that fit the key (MGF1 %s)', (mgf1Hash) => {
    expect(encryptClient('x'.repeat(190), publicKey, mgf1Hash)).toHaveLength(344);
    expect(encryptClient('x'.repeat(191), publicKey, mgf1Hash)).toBeUndefined();
    expect(encryptClient('€'.repeat(64), publicKey, mgf1Hash)).toBeUndefined(); // 192 bytes
  });
});

describe('our own OAEP implementation', () => {
  /** Encrypts our padding with raw RSA and decrypts it with Node's padding: both must agree. */
  it('agrees with node:crypto where that supports the parameters', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 190 }),
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        (message, seed) => {
          const encoded = oaepEncode(message, { keyBytes: 256, mgf1Hash: 'sha256', seed });
          expect(encoded).toHaveLength(256);
          const bare = publicEncrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, encoded);
          expect(decrypt(bare)).toEqual(Buffer.from(message));
        },
      ),
      { seed: 1, numRuns: 50 },
    );
  });

  it('rejects a seed or a message of the wrong size', () => {
    expect(() => oaepEncode(Buffer.alloc(1), { keyBytes: 256, mgf1Hash: 'sha1', seed: Buffer.alloc(20) })).toThrow(
      'seed',
    );
    expect(() => oaepEncode(Buffer.alloc(191), { keyBytes: 256, mgf1Hash: 'sha1', seed: Buffer.alloc(32) })).toThrow(
      'fits',
    );
  });
});
