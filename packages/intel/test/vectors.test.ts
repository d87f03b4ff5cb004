/** The committed vectors of the browser SDK: tokens that a reader must open, and tokens that it must refuse. */
import { describe, expect, it } from 'vitest';
import { deviceFacts, type TokenSetting } from '../src/device-facts.ts';
import { contentKeyOf } from '../src/open-envelope.ts';
import { vectorKeys, vectors } from './support/vectors.ts';

function facts(token: string, setting: Partial<TokenSetting> = {}): ReturnType<typeof deviceFacts> {
  return deviceFacts(token, { keys: vectorKeys, origins: [], channelId: 2, nowMs: 1_795_300_240_000, ...setting });
}

describe('a token that is opened', () => {
  it.each(vectors.opened)('$name', ({ token, proof, content }) => {
    const found = facts(token, { channelId: content.channelId, nowMs: content.iat * 1_000 + 4_000 });
    expect(found).toMatchObject({
      'device.state': 'present',
      'device.proof': proof,
      'device.nonce': content.nonce,
      'device.age': 4_000,
    });
    expect('device.id' in found).toBe(proof === 'holds');
  });

  it('yields the facts of the browser', () => {
    expect(facts(vectors.opened[0]!.token)).toEqual({
      'device.state': 'present',
      'device.nonce': 'H0MZeHSxqiDp76F8TEYFwA',
      'device.age': 4_000,
      'device.sdk': 'ringfence-web/0.1.0',
      'device.origin': 'https://bank.example',
      'device.proof': 'holds',
      'device.id': 'HjPs_PKRSV2w0PlA3i1hlg',
      'device.key': 'oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U',
      'device.idFresh': false,
      'device.timezone': 'America/Mexico_City',
      'device.timezoneOffset': 360,
      'device.languages': 'es-MX,es,en',
      'device.platform': 'MacIntel',
      'device.userAgent': expect.stringContaining('Chrome/156.0.0.0') as string,
      'device.screen': '1728x1117',
      'device.automation': false,
      'device.patchedFunctions': 'window.fetch',
      'device.virtual': false,
      'device.os': 'macOS',
      'device.browser': 'Chrome',
      'device.browserVersion': 156,
      'device.components': expect.stringMatching(/^webgl:\w+ canvas:/) as string,
      'device.print': 'hl6OXoc1ddBUnZhY',
    });
  });

  it('has the key of another device if the id was copied', () => {
    const [own, copied] = vectors.opened.map(({ token }) => facts(token));
    expect(copied!['device.id']).toBe(own!['device.id']);
    expect(copied!['device.key']).not.toBe(own!['device.key']);
  });

  it('counts an invalid proof as tampering', () => {
    const broken = vectors.opened.filter(({ proof }) => proof === 'broken');
    expect(broken.map(({ token }) => facts(token)['device.tampered'])).toEqual(broken.map(() => true));
  });
});

describe('a token that is refused', () => {
  const refused = [...vectors.refused, ...vectors.refusedContent].filter(({ token }) => token !== '');

  it.each(refused)('$name', ({ token }) => {
    expect(facts(token)).toEqual({ 'device.state': 'undecodable' });
  });

  it('is absent if it is empty', () => {
    expect(facts('')).toEqual({ 'device.state': 'absent' });
  });

  it('is opened only by a key of the workspace', () => {
    expect(facts(vectors.opened[0]!.token, { keys: [] })).toEqual({ 'device.state': 'undecodable' });
    expect(facts(vectors.opened[0]!.token, { keys: vectorKeys.slice(1) })).toEqual({ 'device.state': 'undecodable' });
  });
});

it('derives the content key as in RFC 7518', () => {
  const key = contentKeyOf(Buffer.from(vectors.steps.sharedSecret, 'base64url'));
  expect(key.toString('base64url')).toBe(vectors.steps.contentKey);
});
