/** An attacker learns nothing from the time of a refusal: each costs the same cryptography. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { deviceFacts } from '../src/device-facts.ts';
import { vectorKeys, vectors } from './support/vectors.ts';

const setting = { keys: vectorKeys, origins: [], channelId: 2, nowMs: 1_795_300_236_000 };
const honest = vectors.opened[0]!.token;
const [head = '', , iv = '', ciphertext = '', tag = ''] = honest.split('.');
const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as { readonly epk: { readonly x: string } };

function withHeader(changes: object): string {
  const changed = Buffer.from(JSON.stringify({ ...header, ...changes })).toString('base64url');
  return [changed, '', iv, ciphertext, tag].join('.');
}

/** Refused earlier and earlier: by content, by tag, by point, by key, by algorithm, by form, by length. */
const refused: readonly (readonly [name: string, token: string])[] = [
  ...vectors.refusedContent.map(({ name, token }) => [`content: ${name}`, token] as const),
  ['another tag', [head, '', iv, ciphertext, 'A'.repeat(tag.length)].join('.')],
  ['another ciphertext', [head, '', iv, `AAAA${ciphertext.slice(4)}`, tag].join('.')],
  ['a point off the curve', withHeader({ epk: { ...header.epk, y: header.epk.x } })],
  ['a key of somebody else', withHeader({ kid: 'nobody' })],
  ['another algorithm', withHeader({ alg: 'dir' })],
  ['a tag that was cut', [head, '', iv, ciphertext, tag.slice(4)].join('.')],
  ['no token', 'x'.repeat(honest.length)],
  ['what is too long', 'x'.repeat(100_000)],
];

/** The calls that need nearly all of the time, in order. */
const made: string[] = [];

beforeAll(() => {
  const { diffieHellman, createDecipheriv } = crypto;
  vi.spyOn(crypto, 'diffieHellman').mockImplementation((of) => {
    made.push('a secret agreed on');
    return diffieHellman(of);
  });
  vi.spyOn(crypto, 'createDecipheriv').mockImplementation((...args: Parameters<typeof createDecipheriv>) => {
    made.push('a content opened');
    return createDecipheriv(...args);
  });
  syncBuiltinESMExports(); // the spy must replace what was imported by name
});

afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

it.each(refused)('does the same cryptographic work for a refused token: %s', (_, token) => {
  made.length = 0;
  expect(deviceFacts(token, setting)).toEqual({ 'device.state': 'undecodable' });
  expect(made).toEqual(['a secret agreed on', 'a content opened']);
});
