/**
 * Checks the committed vectors with jose as an independent reader: tokens that a service must open and refuse. Authors
 * of other SDKs and readers use the same file.
 */
import { parseJson } from '@ringfence/contract';
import { compactDecrypt, importJWK, type CompactJWEHeaderParameters } from 'jose';
import { Compile } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { bob, pairOf, publicOf, recipient } from '../publish/vector-keys.ts';
import { base64url } from '../src/base64url.ts';
import { contentSchema } from '../src/reference/content-schema.ts';
import { concatKdf } from '../src/token/concat-kdf.ts';
import { encryptJwe } from '../src/token/encrypt-jwe.ts';
import { chooseRecipient } from '../src/token/recipient.ts';
import vectors from '../vectors/device-token.json' with { type: 'json' };
import { verifyProof } from './opened-token.ts';

const schema = Compile(contentSchema());

/** A reader as docs/guides/device-token.md describes it. */
async function read(token: string): Promise<string> {
  const keyOf = async ({ kid }: CompactJWEHeaderParameters): Promise<CryptoKey | Uint8Array> => {
    const jwk = vectors.keys.keys.find((key) => key.kid === kid);
    if (jwk === undefined) throw new Error('no such key');
    return importJWK(jwk, 'ECDH-ES');
  };
  const { plaintext } = await compactDecrypt(token, keyOf, {
    keyManagementAlgorithms: ['ECDH-ES'],
    contentEncryptionAlgorithms: ['A256GCM'],
  });
  return new TextDecoder('utf-8', { fatal: true }).decode(plaintext);
}

describe('a token that is opened', () => {
  it.each(vectors.opened)('$name', async ({ token, content }) => {
    const text = await read(token);
    const parsed = parseJson(text);
    expect(parsed).toHaveProperty('ok', true);
    expect(JSON.parse(text)).toEqual(content);
    expect(schema.Errors(content)[1]).toEqual([]);
  });

  it.each(vectors.opened)('$name: its proof', async ({ content, proof }) => {
    const text = 'proof' in content.device ? content.device.proof : undefined;
    const { nonce, iat, origin } = content;
    const holds = async (): Promise<boolean> => {
      const { claims } = await verifyProof(text ?? '');
      const id = 'id' in content.device ? content.device.id : undefined;
      return JSON.stringify(claims) === JSON.stringify({ id, nonce, iat, origin });
    };
    expect(text === undefined ? 'none' : (await holds().catch(() => false)) ? 'holds' : 'broken').toBe(proof);
  });

  it('with a copied id has the key of another device', async () => {
    const [own, copied] = await Promise.all(
      vectors.opened.slice(0, 2).map(async ({ content }) => {
        const proof = await verifyProof('proof' in content.device ? (content.device.proof ?? '') : '');
        return { ...proof, id: 'id' in content.device ? content.device.id : undefined };
      }),
    );
    expect(copied!.id).toBe(own!.id);
    expect(copied!.thumbprint).not.toBe(own!.thumbprint);
  });
});

describe('a token that is refused', () => {
  it.each(vectors.refused)('$name', async ({ token }) => {
    await expect(read(token)).rejects.toThrow(/./);
  });

  it.each(vectors.refusedContent)('for its content: $name', async ({ token }) => {
    expect(parseJson(await read(token))).toHaveProperty('ok', false);
  });
});

describe('step by step', () => {
  const { steps } = vectors;
  const ephemeral = { ...recipient, ...steps.ephemeral } as typeof recipient;

  it('has this shared secret and this content key', async () => {
    const { privateKey } = await pairOf(ephemeral, 'ECDH');
    const { key } = await chooseRecipient(publicOf(recipient));
    const secret = await crypto.subtle.deriveBits({ name: 'ECDH', public: key }, privateKey, 256);
    expect(base64url(new Uint8Array(secret))).toBe(steps.sharedSecret);
    expect(base64url(await concatKdf(secret, { algorithm: 'A256GCM', bits: 256 }))).toBe(steps.contentKey);
  });

  it('is the same for the same random values, byte for byte', async () => {
    const chance = {
      ephemeral: await pairOf(ephemeral, 'ECDH'),
      iv: Uint8Array.from({ length: 12 }, (_, byte) => byte),
    };
    expect(base64url(chance.iv)).toBe(steps.iv);
    expect(await encryptJwe(steps.plaintext, await chooseRecipient(publicOf(recipient)), chance)).toBe(steps.token);
  });
});

/** A schema that accepts everything describes nothing. */
describe('the schema refuses', () => {
  const whole = vectors.opened[0]!.content;
  it.each([
    ['another format', { ...whole, format: 2 }],
    ['a short nonce', { ...whole, nonce: 'abc' }],
    ['a time in milliseconds', { ...whole, iat: whole.iat * 1_000 }],
    ['a channel as text', { ...whole, channelId: '2' }],
    ['no signals', { ...whole, signals: undefined }],
    ['a reason of one’s own', { ...whole, absent: { fonts: 'bored' } }],
    ['a signal of another type', { ...whole, signals: { pixelRatio: '2' } }],
    ['a part of a signal that is missing', { ...whole, signals: { screen: { width: 1 } } }],
    ['an id with spaces', { ...whole, device: { ...whole.device, id: 'a b' } }],
  ])('%s', (_, content) => {
    expect(schema.Check(JSON.parse(JSON.stringify(content)))).toBe(false);
  });
});

it('the keys are those of the RFCs', () => {
  expect(vectors.keys.keys).toEqual([recipient, bob]);
});
