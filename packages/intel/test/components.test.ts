import { isJsonObject, type JsonObject, parseJson } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { mismatchFacts } from '../src/mismatch-facts.ts';
import { signalFacts } from '../src/signal-facts.ts';
import { readUserAgent } from '../src/user-agent.ts';

function signalsOf(value: object): JsonObject {
  const json = parseJson(Buffer.from(JSON.stringify(value)));
  if (!json.ok || !isJsonObject(json.value)) throw new Error('no object');
  return json.value;
}

const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const signals = {
  userAgent: chrome,
  platform: 'Linux x86_64',
  screen: { width: 1920, height: 1080, availableWidth: 1920, availableHeight: 1040 },
  webgl: { vendor: 'Intel', renderer: 'Mesa Intel(R) UHD Graphics' },
  hardwareConcurrency: 8,
  deviceMemoryGib: 8,
  touch: { points: 0, events: false },
  pixelRatio: 1.25,
  languages: ['es-MX', 'es'],
};

function componentsOf(value: object): ReadonlyMap<string, string> {
  const text = String(signalFacts(signalsOf(value))['device.components'] ?? '');
  return new Map(text.split(' ').map((part) => part.split(':') as [string, string]));
}

function changed(value: object): readonly string[] {
  const [before, after] = [componentsOf(signals), componentsOf({ ...signals, ...value })];
  return [...before.keys()].filter((name) => before.get(name) !== after.get(name));
}

describe('the components of a device', () => {
  it('are hashes by name, from which no value can be read', () => {
    const text = String(signalFacts(signalsOf(signals))['device.components']);
    expect(text).toMatch(/^(?:[a-zA-Z]+:[0-9a-z]{1,7} )*[a-zA-Z]+:[0-9a-z]{1,7}$/);
    expect(text).not.toContain('Intel');
    expect([...componentsOf(signals).keys()]).toEqual(expect.arrayContaining(['os', 'browser', 'screen', 'webgl']));
  });

  it.each([
    [{ languages: ['de'] }, ['languages']],
    [{ userAgent: chrome.replace('141', '142') }, ['userAgent']],
    [{ pixelRatio: 1.5 }, ['pixelRatio']],
    // The order of members, a window's position on the screen and a rotated screen are not changes.
    [{ webgl: { renderer: 'Mesa Intel(R) UHD Graphics', vendor: 'Intel' } }, []],
    [{ screen: { width: 1080, height: 1920, availableWidth: 1000, availableHeight: 1920 } }, []],
  ])('%j changes %j', (value, names) => {
    expect(changed(value)).toEqual(names);
  });

  it('yield a print of the device, independent of the browser and the person', () => {
    const print = (value: object): unknown => signalFacts(signalsOf({ ...signals, ...value }))['device.print'];
    expect(print({})).toMatch(/^[\w-]{16}$/);
    expect(print({ userAgent: chrome.replace('141', '142'), languages: ['de'], pixelRatio: 2 })).toBe(print({}));
    expect(print({ hardwareConcurrency: 4 })).not.toBe(print({}));
    expect(signalFacts(signalsOf({ userAgent: chrome }))).not.toHaveProperty('device.print');
  });
});

describe('facts about the machine from signals', () => {
  it.each([
    [{ webgl: { vendor: 'Google', renderer: 'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device))' } }, true],
    [{ webgl: { vendor: 'VMware, Inc.', renderer: 'SVGA3D; build: RELEASE' } }, true],
    [{ webgl: { vendor: 'Apple', renderer: 'Apple M2' } }, false],
    [{}, undefined],
  ])('%j is virtual: %s', (value, virtual) => {
    expect(signalFacts(signalsOf(value))['device.virtual']).toBe(virtual);
  });

  it.each([
    [['name'], true],
    [['noChrome', 'noPlugins', 'noPointer'], true],
    [['noPlugins'], false],
    [[], false],
  ])('the traits %j are headless: %s', (headlessTraits, headless) => {
    expect(signalFacts(signalsOf({ headlessTraits }))['device.headless']).toBe(headless);
  });

  it.each([
    [chrome, 'Linux', 'Chrome', 141],
    [chrome.replace('X11; Linux x86_64', 'Linux; Android 15; Pixel 9'), 'Android', 'Chrome', 141],
    [`${chrome} Edg/141.0.0.0`.replace('X11; Linux x86_64', 'Windows NT 10.0'), 'Windows', 'Edge', 141],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0', 'macOS', 'Firefox', 140],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
      'iOS',
      'Safari',
      18,
    ],
    ['curl/8.0', undefined, undefined, undefined],
  ])('the user agent %s is read', (agent, ...[os, browser, browserVersion]) => {
    expect(readUserAgent(agent, undefined)).toEqual({ os, browser, browserVersion });
  });

  it('a Macintosh with a touch screen is a tablet', () => {
    const touch = signalsOf({ touch: { points: 5, events: true } }).touch;
    expect(
      readUserAgent('Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18.0 Safari/605.1.15', touch).os,
    ).toBe('iOS');
  });
});

describe('a device compared with the country of its address', () => {
  const winter = Date.parse('2026-01-15T12:00:00Z');
  const summer = Date.parse('2026-07-15T12:00:00Z');
  it.each([
    [{ 'ip.country': 'MX', 'device.timezoneOffset': 360 }, winter, { 'device.timezoneMismatch': false }],
    [{ 'ip.country': 'MX', 'device.timezoneOffset': -60 }, winter, { 'device.timezoneMismatch': true }],
    [{ 'ip.country': 'DE', 'device.timezoneOffset': -60 }, winter, { 'device.timezoneMismatch': false }],
    [{ 'ip.country': 'DE', 'device.timezoneOffset': -60 }, summer, { 'device.timezoneMismatch': true }],
    [{ 'ip.country': 'MX', 'device.languages': 'es-MX,es' }, winter, { 'device.languageMismatch': false }],
    [{ 'ip.country': 'MX', 'device.languages': 'ru,uk' }, winter, { 'device.languageMismatch': true }],
    [{ 'ip.country': 'MX', 'device.languages': 'ru,en' }, winter, { 'device.languageMismatch': false }],
    [{ 'ip.country': 'NO', 'device.languages': 'no' }, winter, { 'device.languageMismatch': false }],
    [{ 'ip.country': 'US', 'device.languages': 'es-US' }, winter, { 'device.languageMismatch': false }],
    [{ 'ip.country': 'US', 'device.languages': 'es-MX,es' }, winter, { 'device.languageMismatch': true }],
    [{ 'ip.country': 'ES', 'device.languages': 'eu-ES' }, winter, { 'device.languageMismatch': false }],
    [{ 'ip.country': 'IN', 'device.languages': 'ta_in' }, winter, { 'device.languageMismatch': false }],
    [{ 'ip.country': 'CH', 'device.languages': 'de,rm-Latn-CH' }, winter, { 'device.languageMismatch': false }],
    [{ 'ip.country': 'MX', 'ip.anonymous': true, 'device.languages': 'ru' }, winter, {}],
    [{ 'device.languages': 'ru', 'device.timezoneOffset': 0 }, winter, {}],
    [{ 'ip.country': 'MX' }, winter, {}],
  ])('%j at %i', (facts, nowMs, found) => {
    expect(mismatchFacts(facts as never, nowMs)).toEqual(found);
  });
});
