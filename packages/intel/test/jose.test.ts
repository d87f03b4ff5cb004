/** Compares our reader with that of `jose`: two implementations of one format without shared code. */
import {
  calculateJwkThumbprint,
  compactDecrypt,
  type CompactJWEHeaderParameters,
  type CryptoKey,
  importJWK,
} from 'jose';
import { expect, it } from 'vitest';
import { makeDeviceKey, openDeviceKey } from '../src/device-key.ts';
import { contentBytesMax } from '../src/limits.ts';
import { openEnvelope } from '../src/open-envelope.ts';
import { tokenOf } from './support/made-token.ts';
import { mutatedTokens, seeded } from './support/mutated-tokens.ts';
import { vectorKeys, vectors } from './support/vectors.ts';

const rounds = 10_000;
const joseKeys = new Map(
  await Promise.all(vectors.keys.keys.map(async (jwk) => [jwk.kid, await importJWK({ ...jwk }, 'ECDH-ES')] as const)),
);

/** Text in Latin-1, so that every byte is one character. */
async function openedByJose(token: string): Promise<string | undefined> {
  const keyOf = ({ kid }: CompactJWEHeaderParameters): CryptoKey => {
    const key = joseKeys.get(String(kid));
    if (key === undefined || key instanceof Uint8Array) throw new Error('no such key');
    return key;
  };
  const allowed = { keyManagementAlgorithms: ['ECDH-ES'], contentEncryptionAlgorithms: ['A256GCM'] };
  try {
    return Buffer.from((await compactDecrypt(token, keyOf, allowed)).plaintext).toString('latin1');
  } catch {
    return undefined;
  }
}

/** The same bytes in the only encoding that we accept. */
function rewritten(token: string): string {
  const parts = token.split('.').map((part) => Buffer.from(part, 'base64url').toString('base64url'));
  return parts.join('.');
}

it('opens the tokens that jose opens, with the same result', async () => {
  for (const { token } of vectors.opened) {
    expect(openEnvelope(token, vectorKeys)?.toString('latin1')).toBe(await openedByJose(token));
  }
});

it(`refuses all of ${rounds} modified tokens that jose refuses`, { timeout: 120_000 }, async () => {
  const originals = vectors.opened.map(({ token }) => token);
  let onlyJose = 0;
  for (const { round, token } of mutatedTokens(originals, rounds)) {
    expect(openEnvelope(token, vectorKeys), `round ${round}`).toBeUndefined();
    if ((await openedByJose(token)) === undefined) continue;
    onlyJose++;
    expect(originals, `round ${round}: the bytes of a token, written another way`).toContain(rewritten(token));
  }
  expect(onlyJose, 'changes that only a strict reader sees').toBeGreaterThan(0);
});

it('opens tokens made by jose, of any length', async () => {
  const random = seeded(7);
  const key = openDeviceKey(makeDeviceKey());
  const lengths = [0, 1, 15, 16, 17, 31, 32, 33, ...Array.from({ length: 150 }, () => random(contentBytesMax))];
  for (const length of [...lengths, contentBytesMax]) {
    const content = Array.from({ length }, () => String.fromCharCode(32 + random(95))).join('');
    expect(openEnvelope(await tokenOf(content, key), [key])?.toString() === content, `${length} bytes`).toBe(true);
  }
  expect(openEnvelope(await tokenOf('x'.repeat(contentBytesMax + 1), key), [key])).toBeUndefined();
});

it('names keys as jose does', async () => {
  for (let round = 0; round < 20; round++) {
    const { kid, ...jwk } = makeDeviceKey();
    expect(kid).toBe(await calculateJwkThumbprint(jwk));
  }
});
