/** Tokens are opened by jose, an independent implementation of JWE. */
import { compactDecrypt, exportJWK, generateKeyPair } from 'jose';
import { describe, expect, it } from 'vitest';
import { encryptJwe, newTokenChance } from '../../src/token/encrypt-jwe.ts';
import { chooseRecipient, type PublicJwk } from '../../src/token/recipient.ts';

const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { crv: 'P-256', extractable: true });
const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1' } as PublicJwk;

describe('a token', () => {
  it.each(['{}', '{"text":"ñ 漢 🙂"}', '"'.padEnd(40_000, 'x')])('is opened by jose', async (text) => {
    const token = await encryptJwe(text, await chooseRecipient(jwk), await newTokenChance());
    const { plaintext, protectedHeader } = await compactDecrypt(token, privateKey, {
      keyManagementAlgorithms: ['ECDH-ES'],
      contentEncryptionAlgorithms: ['A256GCM'],
    });
    expect(new TextDecoder().decode(plaintext)).toBe(text);
    expect(protectedHeader).toMatchObject({ alg: 'ECDH-ES', enc: 'A256GCM', kid: 'key-1', typ: 'ringfence-device' });
    expect(Object.keys(protectedHeader.epk ?? {})).toEqual(['crv', 'kty', 'x', 'y']);
  });

  it('differs each time', async () => {
    const recipient = await chooseRecipient(jwk);
    const first = await encryptJwe('{}', recipient, await newTokenChance());
    expect(await encryptJwe('{}', recipient, await newTokenChance())).not.toBe(first);
  });

  it('is not opened after any change', async () => {
    const token = await encryptJwe('{"a":1}', await chooseRecipient(jwk), await newTokenChance());
    const parts = token.split('.');
    for (const index of [0, 2, 3, 4]) {
      const part = parts[index]!;
      const changed = parts.with(index, `${part.slice(0, -4)}${part.at(-4) === 'A' ? 'B' : 'A'}${part.slice(-3)}`);
      await expect(compactDecrypt(changed.join('.'), privateKey)).rejects.toThrow(/./);
    }
  });
});

describe('the recipient', () => {
  it('is the first usable key of a set', async () => {
    const set = { keys: [{ kty: 'RSA', kid: 'r' }, { ...jwk, use: 'sig' }, { ...jwk, kid: 'second' }, jwk] };
    expect((await chooseRecipient(set)).kid).toBe('second');
  });

  it.each([
    ['an empty set', { keys: [] }],
    ['another curve', { ...jwk, crv: 'P-384' }],
    ['a key without a kid', { kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y } as PublicJwk],
    ['a key of another algorithm', { ...jwk, alg: 'ECDH-ES+A256KW' }],
  ])('does not exist in %s', async (_, keys) => {
    await expect(chooseRecipient(keys)).rejects.toThrow('keys: none is EC on P-256');
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['the text of a set', JSON.stringify({ keys: [jwk] })],
    ['an answer of fetch', new Response('{}')],
    ['the list of a set', [jwk]],
  ])('is not searched for in %s', async (_, keys) => {
    await expect(chooseRecipient(keys as never)).rejects.toThrow('keys: expected a key set');
  });

  it('is never a private key', async () => {
    const secret = { keys: [jwk, { ...jwk, d: 'AAAA' }] };
    await expect(chooseRecipient(secret)).rejects.toThrow('private key');
  });

  it('is a point of the curve', async () => {
    await expect(chooseRecipient({ ...jwk, x: jwk.y ?? '' })).rejects.toThrow(/./);
  });
});
