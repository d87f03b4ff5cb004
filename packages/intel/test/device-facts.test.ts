import { describe, expect, it } from 'vitest';
import { deviceFacts, type TokenSetting } from '../src/device-facts.ts';
import { makeDeviceKey, openDeviceKey } from '../src/device-key.ts';
import { bareContent, tokenOf } from './support/made-token.ts';

const key = openDeviceKey(makeDeviceKey());
const issuedMs = bareContent.iat * 1_000;

async function factsOf(content: object, setting: Partial<TokenSetting> = {}): Promise<ReturnType<typeof deviceFacts>> {
  const token = await tokenOf({ ...bareContent, ...content }, key);
  return deviceFacts(token, { keys: [key], origins: [], channelId: 2, nowMs: issuedMs, ...setting });
}

describe('the state of a token', () => {
  const minute = 60_000;

  it.each([
    [0, 'present'],
    [15 * minute, 'present'],
    [15 * minute + 1, 'stale'],
    [-5 * minute, 'present'],
    [-5 * minute - 1, 'stale'],
  ])('%i ms after it was made: %s', async (ageMs, state) => {
    const facts = await factsOf({}, { nowMs: issuedMs + ageMs });
    expect(facts).toMatchObject({ 'device.state': state, 'device.age': Math.max(0, ageMs) });
  });

  it('is foreign if its page is not among the origins', async () => {
    const origins = ['https://bank.example'];
    expect(await factsOf({}, { origins })).toHaveProperty(['device.state'], 'present');
    expect(await factsOf({ origin: 'https://bank.example.evil' }, { origins })).toHaveProperty(
      ['device.state'],
      'foreign',
    );
    expect(await factsOf({ origin: 'https://bank.example.evil' })).toHaveProperty(['device.state'], 'present');
  });

  it('is foreign in the login of another channel', async () => {
    expect(await factsOf({}, { channelId: 1 })).toHaveProperty(['device.state'], 'foreign');
  });
});

describe('signals', () => {
  it.each([
    [{ webdriver: false, automationGlobals: [], headlessTraits: [] }, false, undefined],
    [{ webdriver: true }, true, 'webdriver'],
    [{ webdriver: false, automationGlobals: ['__playwright'] }, true, '__playwright'],
    [{ headlessTraits: ['noPlugins', 'noChrome'] }, false, 'noPlugins,noChrome'],
    [{ headlessTraits: ['noPlugins', 'noChrome', 'noWindow'] }, true, 'noPlugins,noChrome,noWindow'],
    [{ headlessTraits: ['name'] }, true, 'name'],
    [{ webdriver: 'no' }, undefined, undefined],
    [{}, undefined, undefined],
  ])('%j is automation: %s', async (signals, automation, signs) => {
    const facts = await factsOf({ signals });
    expect([facts['device.automation'], facts['device.automationSigns']]).toEqual([automation, signs]);
  });

  it.each([
    [{ ownProperties: [], frameMismatch: [] }, false, undefined],
    [{ ownProperties: ['navigator.platform'] }, true, 'ownProperties:navigator.platform'],
    [{ patchedFunctions: ['window.fetch'] }, undefined, undefined],
    [{ frameMismatch: [1] }, undefined, undefined],
  ])('%j is tampering: %s', async (signals, tampered, signs) => {
    const facts = await factsOf({ signals });
    expect([facts['device.tampered'], facts['device.tamperSigns']]).toEqual([tampered, signs]);
  });

  it('of the wrong type are omitted', async () => {
    const signals = { timezone: 7, languages: 'es', screen: [1, 2], platform: '', timezoneOffsetMin: 9_000 };
    const { 'device.components': _, ...facts } = await factsOf({ signals });
    expect(facts).toEqual(await factsOf({}));
  });

  it('are cut if they are longer than the SDK sends them', async () => {
    const facts = await factsOf({ signals: { languages: Array.from({ length: 200 }, () => 'es-MX') } });
    expect(String(facts['device.languages'])).toHaveLength(512);
  });
});

it('identifies the device only if the state is present', async () => {
  const { vectors, vectorKeys } = await import('./support/vectors.ts');
  const { token, content } = vectors.opened[0]!;
  const setting = { keys: vectorKeys, origins: [], channelId: content.channelId, nowMs: content.iat * 1_000 };
  expect(deviceFacts(token, setting)).toHaveProperty(['device.id']);
  const stale = deviceFacts(token, { ...setting, nowMs: setting.nowMs + 3_600_000 });
  expect(stale).toHaveProperty(['device.proof'], 'holds');
  expect(stale).not.toHaveProperty(['device.id']);
  expect(stale).not.toHaveProperty(['device.key']);
});

it('measures the age of a token up to a login that is reported late; the token is stale all the same', async () => {
  const hourMs = 3_600_000;
  const late = await factsOf({}, { nowMs: issuedMs + 3 * hourMs, happenedMs: issuedMs + 60_000 });
  expect(late).toMatchObject({ 'device.state': 'stale', 'device.age': 60_000 });
});
