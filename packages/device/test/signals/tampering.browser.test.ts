/** Pages with a modified browser, as tools that hide automation do it: each is detected by its signal. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../../../tools/testing/chromium.ts';
import type { Content } from '../../src/content.ts';
import { type BankBrowser, openBankBrowser, scriptElement } from '../bank-browser.ts';

const bank = await openBankBrowser((integrity) => ({
  '/login': { body: `<!doctype html><title>Bank</title>${scriptElement(integrity)}` },
}));
afterAll(() => bank?.close());

let context: BrowserContext;
let page: Page;
const here = (): BankBrowser => bank!;

beforeEach(async ({ skip }) => {
  if (bank === undefined) return skip(noChromium);
  context = await bank.newContext();
  page = await context.newPage();
});
afterEach(() => context?.close());

/** The result of the SDK in a page where the script ran first, like one of an extension or of the page itself. */
async function collectAfter(script: () => void): Promise<Content> {
  await page.goto(`${here().site.origin}/login`);
  await page.evaluate(script);
  return here().collectIn(page, { profile: 'full' });
}

/** The script runs in the page and in every frame, before anything else, as automation tools do it. */
async function collectAfterEverywhere(script: () => void): Promise<Content> {
  await page.addInitScript(script);
  await page.goto(`${here().site.origin}/login`);
  return here().collectIn(page, { profile: 'full' });
}

describe('a replaced function is named', () => {
  it('by a getter of the page', async () => {
    const { signals } = await collectAfter(() => {
      Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false });
    });
    expect(signals).toMatchObject({
      webdriver: false,
      patchedFunctions: ['Navigator.prototype.webdriver'],
      prototypeFaults: ['webdriver'],
    });
  });

  it('by a proxy around the built-in one', async () => {
    const { signals } = await collectAfter(() => {
      const { prototype } = WebGLRenderingContext;
      prototype.getParameter = new Proxy(prototype.getParameter.bind(new OffscreenCanvas(1, 1).getContext('webgl')!), {
        apply: (target, _, args: [number]) => (args[0] === 0x9246 ? 'GPU of a gamer' : (target(...args) as unknown)),
      });
    });
    expect(signals).toMatchObject({
      webgl: { renderer: 'GPU of a gamer' },
      patchedFunctions: ['WebGLRenderingContext.prototype.getParameter'],
    });
  });

  it('by a bound one', async () => {
    const { signals } = await collectAfter(() => {
      window.fetch = window.fetch.bind(window);
    });
    expect(signals['patchedFunctions']).toEqual(['window.fetch']);
  });

  /** The usual disguise: everything prints itself as built in, because the printing was replaced as well. */
  it('although the page’s own printing of functions lies', async () => {
    const { signals } = await collectAfter(() => {
      const fake = { get: () => 'Win32' };
      Object.defineProperty(Navigator.prototype, 'platform', fake);
      // oxlint-disable-next-line no-extend-native -- this is what the tools do
      Function.prototype.toString = function toString() {
        return `function ${this.name}() { [native code] }`;
      };
    });
    expect(signals['patchedFunctions']).toEqual(['Navigator.prototype.platform', 'Function.prototype.toString']);
    expect(signals['frameMismatch']).toEqual(['platform']);
  });

  it('although every frame is changed in the same way', async () => {
    const { signals } = await collectAfterEverywhere(() => {
      Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false });
      // oxlint-disable-next-line no-extend-native -- this is what the tools do
      Function.prototype.toString = new Proxy(() => '', {
        apply: (_, self: { readonly name: string }) => `function ${self.name}() { [native code] }`,
      });
    });
    expect(signals['patchedFunctions']).toContain('Navigator.prototype.webdriver');
    expect(signals['frameMismatch']).toEqual([]);
  });

  it('and so is a method with the same name', async () => {
    const { signals } = await collectAfter(() => {
      HTMLCanvasElement.prototype.toDataURL = { toDataURL: () => 'data:,' }.toDataURL;
    });
    expect(signals['patchedFunctions']).toEqual(['HTMLCanvasElement.prototype.toDataURL']);
  });
});

describe('a changed object is named', () => {
  it('with an own member', async () => {
    const { signals } = await collectAfter(() => {
      Object.defineProperty(navigator, 'hardwareConcurrency', { value: 64 });
    });
    expect(signals).toMatchObject({
      hardwareConcurrency: 64,
      ownProperties: ['navigator.hardwareConcurrency'],
      frameMismatch: ['hardwareConcurrency'],
    });
  });

  it('with a fake list of plugins', async () => {
    const { signals } = await collectAfter(() => {
      Object.defineProperty(Navigator.prototype, 'plugins', { get: () => [{ name: 'PDF Viewer' }] });
    });
    expect(signals['prototypeFaults']).toEqual(['plugins', 'plugin']);
  });

  it('with another prototype', async () => {
    const { signals } = await collectAfter(() => {
      Object.setPrototypeOf(navigator, Object.create(Navigator.prototype) as object);
    });
    expect(signals['prototypeFaults']).toEqual(['navigator']);
  });

  it('by traces of the tool that drives it', async () => {
    const { signals } = await collectAfter(() => {
      Object.assign(window, { __playwright__binding__: 1, callPhantom: 1, customerData: 1 });
      Object.assign(document, { cdc_adoQpoasnfa76pfcZLmcfl_: 1 });
    });
    expect(signals['automationGlobals']).toEqual([
      '__playwright__binding__',
      'callPhantom',
      'cdc_adoQpoasnfa76pfcZLmcfl_',
    ]);
  });
});

describe('a signal', () => {
  it('that throws fails alone', async () => {
    const { absent, signals } = await collectAfter(() => {
      Object.defineProperty(Screen.prototype, 'colorDepth', {
        get: () => {
          throw new Error('no');
        },
      });
      HTMLCanvasElement.prototype.getContext = () => {
        throw new Error('no');
      };
    });
    expect(absent).toEqual({
      workerMismatch: 'unsupported',
      colorDepth: 'failed',
      canvas: 'failed',
      fonts: 'failed',
      textMetrics: 'failed',
      systemColors: 'failed',
      webgl: 'failed',
      webglLimits: 'failed',
    });
    expect(signals['patchedFunctions']).toEqual([
      'Screen.prototype.colorDepth',
      'HTMLCanvasElement.prototype.getContext',
    ]);
  });

  it('from a fake object fails alone', async () => {
    const { absent, signals } = await collectAfter(() => {
      HTMLCanvasElement.prototype.getContext = () => ({}) as never;
    });
    expect(absent).toMatchObject({ webgl: 'failed', webglLimits: 'failed', canvas: 'failed', fonts: 'failed' });
    expect(signals).toMatchObject({ vendor: 'Google Inc.' });
  });

  it('of another type than the standard’s fails', async () => {
    const { absent } = await collectAfter(() => {
      Object.defineProperty(Navigator.prototype, 'platform', { get: () => ({ toString: () => 'Win32' }) });
      Object.defineProperty(Navigator.prototype, 'hardwareConcurrency', { get: () => Number.NaN });
    });
    expect(absent).toMatchObject({ platform: 'failed', hardwareConcurrency: 'failed' });
  });

  it('with noise in its readings is blocked', async () => {
    const { absent } = await collectAfter(() => {
      let readings = 0;
      HTMLCanvasElement.prototype.toDataURL = () => `data:image/png;base64,${readings++}`;
      AudioBuffer.prototype.getChannelData = () => new Float32Array(4_410).fill(Math.PI);
    });
    expect(absent).toMatchObject({ canvas: 'blocked', audio: 'blocked' });
  });

  it('is cut to its bounds, and never makes the token too large', async () => {
    const { signals, absent } = await collectAfter(() => {
      const flood = Array.from({ length: 5_000 }, () => '\u20AC'.repeat(5_000));
      Object.defineProperty(Navigator.prototype, 'languages', { get: () => Object.freeze([...flood]) });
      Object.defineProperty(Navigator.prototype, 'userAgent', { get: () => 'x'.repeat(1_000_000) });
    });
    expect(absent).toMatchObject({ languages: 'tooLarge' }); // 64 texts of 512 characters are still 98 KB
    expect(signals['userAgent']).toHaveLength(512);
    expect(signals).toMatchObject({ vendor: 'Google Inc.' });
  });

  it('needs nothing that an older browser lacks', async () => {
    const { absent, signals } = await collectAfter(() => {
      const gone = ['OfflineAudioContext', 'CSS', 'Permissions', 'PluginArray'];
      for (const name of gone) Reflect.deleteProperty(window, name);
      const members = [
        'permissions',
        'storage',
        'mediaDevices',
        'connection',
        'keyboard',
        'userAgentData',
        'deviceMemory',
      ];
      for (const name of members) Reflect.deleteProperty(Navigator.prototype, name);
      Reflect.deleteProperty(Screen.prototype, 'orientation');
      Reflect.deleteProperty(Screen.prototype, 'isExtended');
    });
    const lacking = Object.keys(absent).filter((name) => absent[name] === 'unsupported');
    expect(new Set(lacking)).toEqual(
      new Set([
        'audio',
        'clientHints',
        'clientHintsDetail',
        'connection',
        'cssFeatures',
        'deviceMemoryGib',
        'keyboardLayout',
        'mediaDevices',
        'orientation',
        'permissions',
        'screenExtended',
        'storageQuotaMib',
        'workerMismatch',
      ]),
    );
    expect(signals['platform']).toBe('Linux x86_64');
  });
});
