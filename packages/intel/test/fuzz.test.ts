/** However a token is changed, the answer is the same and nothing throws: an attacker learns nothing from failures. */
import { describe, expect, it } from 'vitest';
import { deviceFacts } from '../src/device-facts.ts';
import { makeDeviceKey, openDeviceKey } from '../src/device-key.ts';
import { bareContent, tokenOf } from './support/made-token.ts';
import { mutatedTokens } from './support/mutated-tokens.ts';
import { vectorKeys, vectors } from './support/vectors.ts';

const rounds = 10_000;
it(`returns the same answer for ${rounds} modified tokens`, () => {
  const setting = { keys: vectorKeys, origins: [], channelId: 2, nowMs: 1_795_300_236_000 };
  for (const { round, token } of mutatedTokens(
    vectors.opened.map((one) => one.token),
    rounds,
  )) {
    expect(deviceFacts(token, setting), `round ${round}`).toEqual({ 'device.state': 'undecodable' });
  }
});

describe('a token that is encrypted for the workspace but has invalid content', () => {
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

  it('while the unchanged content is present', async () => {
    expect(deviceFacts(await tokenOf(bareContent, key), setting)).toHaveProperty(['device.state'], 'present');
  });
});
