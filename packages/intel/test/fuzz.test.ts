/**
 * Whatever is done to a token, the answer is the same one, and nothing throws: who tries tokens learns nothing from how
 * they fail.
 */
import { describe, expect, it } from 'vitest';
import { deviceFacts } from '../src/device-facts.ts';
import { makeDeviceKey, openDeviceKey } from '../src/device-key.ts';
import { bareContent, tokenOf } from './support/made-token.ts';
import { vectorKeys, vectors } from './support/vectors.ts';

const rounds = 10_000;
const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n\0é';

/** A small generator of our own, so that a failing round can be run again. Source: mulberry32. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Mutation = (token: string, random: (below: number) => number) => string;

const mutations: readonly Mutation[] = [
  (token, random) => replaceAt(token, random(token.length), characters[random(characters.length)]!),
  (token, random) => token.slice(0, random(token.length)),
  (token, random) => token.slice(1 + random(token.length - 1)),
  (token, random) => replaceAt(token, random(token.length), characters[random(characters.length)]!.repeat(random(9))),
  (token, random) => `${token}${characters[random(characters.length)]!}`,
  (token, random) => shuffled(token.split('.'), random).join('.'),
  (token, random) => changedHeader(token, random),
  (_, random) => Array.from({ length: random(400) }, () => characters[random(characters.length)]!).join(''),
];

function replaceAt(text: string, at: number, by: string): string {
  return text.slice(0, at) + by + text.slice(at + 1);
}

function shuffled(parts: readonly string[], random: (below: number) => number): readonly string[] {
  return parts.toSorted(() => random(3) - 1);
}

/** Another value of one member of the header, which the tag covers. */
function changedHeader(token: string, random: (below: number) => number): string {
  const [head, ...rest] = token.split('.');
  const header = JSON.parse(Buffer.from(head!, 'base64url').toString()) as Record<string, unknown>;
  const names = [...Object.keys(header), 'zip', 'crit', 'jwk', 'apu', 'x5c'];
  const values = ['DEF', 'none', 'dir', 'A128KW', '', null, 7, [], {}, header.epk, ['exp']];
  header[names[random(names.length)]!] = values[random(values.length)];
  return [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.');
}

it(`answers the same to ${rounds} tokens that somebody changed`, () => {
  const random = seeded(1);
  const originals = vectors.opened.map(({ token }) => token);
  const known = new Set(originals);
  const setting = { keys: vectorKeys, origins: [], channelId: 2, nowMs: 1_795_300_236_000 };
  let tried = 0;
  for (let round = 0; tried < rounds; round++) {
    const token = mutations[round % mutations.length]!(originals[random(originals.length)]!, random);
    if (token === '' || known.has(token)) continue;
    tried++;
    expect(deviceFacts(token, setting), `round ${round}`).toEqual({ 'device.state': 'undecodable' });
  }
});

describe('what is encrypted for the workspace and makes no sense', () => {
  const key = openDeviceKey(makeDeviceKey());
  const setting = { keys: [key], origins: [], channelId: 2, nowMs: bareContent.iat * 1_000 };
  const contents: readonly (readonly [name: string, content: unknown])[] = [
    ['nothing', ''],
    ['no JSON', '{'],
    ['no object', '[]'],
    ['another format', { ...bareContent, format: 2 }],
    ['a member twice', '{"format":1,"format":1}'],
    ['deeper than the reader goes', `${'['.repeat(9)}${']'.repeat(9)}`],
    ['more keys than the reader takes', Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, 1]))],
    ['a device of two shapes', { ...bareContent, device: {} }],
    ['more than a token may hold', { ...bareContent, more: 'x'.repeat(33_000) }],
  ];

  it.each(contents)('%s', async (_, content) => {
    expect(deviceFacts(await tokenOf(content, key), setting)).toEqual({ 'device.state': 'undecodable' });
  });

  it('while the bare content is present', async () => {
    expect(deviceFacts(await tokenOf(bareContent, key), setting)).toHaveProperty(['device.state'], 'present');
  });
});
