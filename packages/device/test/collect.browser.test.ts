/** The SDK in real pages of a bank, with the strictest policy. */
import { parseEvent, parseJson, timeZone } from '@ringfence/contract';
import type { BrowserContext, Page } from 'playwright-core';
import { Compile } from 'typebox/schema';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../../tools/testing/chromium.ts';
import { profiles } from '../src/catalogue.ts';
import { limits } from '../src/limits.ts';
import { contentSchema } from '../src/reference/content-schema.ts';
import { type BankBrowser, openBankBrowser, scriptElement } from './bank-browser.ts';
import { strictPolicy } from './bank-site.ts';
import { claimOf, newWorkspace, verifyProof } from './opened-token.ts';
import { turns } from './turns.ts';

const paragraphs = Array.from(
  { length: 600 },
  (_, i) => `<section><h2>Offer ${i}</h2><p>Text</p><button>Buy</button></section>`,
);
const bank = await openBankBrowser(
  (integrity) => ({
    '/login': { body: `<!doctype html><title>Bank</title>${scriptElement(integrity)}<h1>Log in</h1>` },
    '/long': {
      body: `<!doctype html><title>Bank</title>${scriptElement(integrity)}<input id="user" autofocus>${paragraphs.join('')}`,
    },
    '/early': {
      body: `<!doctype html>${scriptElement(integrity)}<script src="/early.js"></script><title>Bank</title>`,
    },
    '/worker': {
      body: `<!doctype html>${scriptElement(integrity)}<title>Bank</title>`,
      policy: strictPolicy.replace("require-trusted-types-for 'script'; ", ''),
    },
    '/framing': { body: '<!doctype html><title>Bank</title>', policy: "default-src 'self'" },
    '/framed': { body: `<!doctype html>${scriptElement(integrity)}`, policy: "script-src 'self'" },
    '/changed': {
      body: `<!doctype html>${scriptElement({ ...integrity, 'ringfence-device.js': `sha384-${'A'.repeat(64)}` })}`,
    },
    '/leaking': {
      body: `<!doctype html>${scriptElement(integrity)}`,
      policy: "default-src 'self'; connect-src *; report-uri /csp-report",
    },
  }),
  {
    '/early.js': `window.before = [document.body === null, document.readyState]; window.collecting = ringfence.collect(JSON.parse(sessionStorage.options));`,
  },
);
afterAll(() => bank?.close());

let context: BrowserContext;
let page: Page;
const here = (): BankBrowser => bank!;

beforeEach(async ({ skip }) => {
  if (bank === undefined) return skip(noChromium);
  context = await bank.newContext();
  page = await context.newPage();
  bank.site.requests.length = 0;
  await page.goto(`${bank.site.origin}/login`);
});
afterEach(() => context?.close());

describe('a token', () => {
  it('is complete: who, when, where, with what, and every signal of the profile', async () => {
    const before = Math.floor(Date.now() / 1_000);
    const content = await here().collectIn(page, { profile: 'full' });
    expect(content).toMatchObject({ format: 1, origin: here().site.origin, channelId: 2, profile: 'full' });
    expect(content.sdk).toMatch(/^ringfence-web\/\d+\.\d+\.\d+$/);
    expect(content.nonce).toMatch(/^[\w-]{22}$/);
    expect(content.iat).toBeGreaterThanOrEqual(before);
    const named = [...Object.keys(content.signals), ...Object.keys(content.absent)];
    expect(named.toSorted()).toEqual(Object.keys(profiles.full).toSorted());
    expect(content.absent).toEqual({ workerMismatch: 'unsupported' });
    expect(Compile(contentSchema()).Errors(content)[1]).toEqual([]);
  });

  it('has the signals of its profile after the switches, and no others', async () => {
    const content = await here().collectIn(page, { signals: { maths: true, screen: false } });
    const named = new Set([...Object.keys(content.signals), ...Object.keys(content.absent)]);
    const expected = new Set([...Object.keys(profiles.essential), 'maths']);
    expected.delete('screen');
    expect(named).toEqual(expected);
  });

  it('is made even if a switch has no signal, and the page is notified', async () => {
    const said = await page.evaluate(async (keys) => {
      const troubles: string[] = [];
      const onTrouble = (error: unknown): void => void troubles.push(String(error));
      const signals = { fontz: false } as never;
      return { token: await ringfence.collect({ keys, channelId: 2, signals, onTrouble }), troubles };
    }, here().workspace.keys);
    expect(said.troubles).toEqual(['Error: signals: there is no fontz']);
    expect((await here().workspace.open(said.token)).channelId).toBe(2);
  });

  it('reports no changes for an unchanged browser', async () => {
    const { signals } = await here().collectIn(page, { profile: 'full' });
    const { patchedFunctions, ownProperties, prototypeFaults, frameMismatch } = signals;
    expect({ patchedFunctions, ownProperties, prototypeFaults, frameMismatch }).toEqual({
      patchedFunctions: [],
      ownProperties: [],
      prototypeFaults: [],
      frameMismatch: [],
    });
    expect(signals['webdriver']).toBe(true);
    expect(signals['headlessTraits']).toContain('name');
  });

  it('has the same values twice, except those that change with the visit', async () => {
    const first = await here().collectIn(page, { profile: 'full' });
    await page.reload();
    const second = await here().collectIn(page, { profile: 'full' });
    const { connection: _, timerResolutionUs: __, ...stable } = first.signals;
    expect(second.signals).toMatchObject(stable);
    expect(second.nonce).not.toBe(first.nonce);
  });

  it('fits the login, and the strict reader accepts its content', async () => {
    const { keys } = here().workspace;
    const token = await page.evaluate(
      (given) => ringfence.collect({ keys: given, channelId: 2, profile: 'full' }),
      keys,
    );
    const login = parseJson(JSON.stringify({ channelId: 2, user: 'ana', publicIp: '203.0.113.7', data: token }));
    const parsed = login.ok && parseEvent('login', login, { cards: 'mask', zone: timeZone('UTC')!, hashCard: String });
    expect(parsed).toMatchObject({ ok: true, event: { data: token } });
    expect(parseJson(JSON.stringify(await here().workspace.open(token)))).toHaveProperty('ok', true);
  });
});

describe('a page', () => {
  it('sends nothing because of a collection, and violates no policy', async () => {
    const before = [...here().site.requests];
    expect(before).toEqual(['/login', '/ringfence-device.js'].map((path) => `GET ${here().site.origin}${path}`));
    const seen: string[] = [];
    const messages: string[] = [];
    context.on('request', (request) => seen.push(request.url()));
    page.on('websocket', (socket) => seen.push(socket.url()));
    page.on('console', (message) => messages.push(message.text()));
    page.on('pageerror', (error) => messages.push(error.message));
    for (const cookie of [false, true]) await here().collectIn(page, { profile: 'full', cookie });
    expect(seen).toEqual([]);
    expect(messages).toEqual([]);
    expect(here().site.requests).toEqual(before);
  });

  /** The check that the test above relies on: any request that does leave is recorded, to whichever host. */
  it('whose script sends something is detected', async () => {
    await page.goto(`${here().site.origin}/leaking`);
    await page.evaluate(async () => {
      navigator.sendBeacon('http://collector.example/beacon', 'x');
      new Image().src = 'http://collector.example/pixel.gif';
      await fetch('http://collector.example/fetch', { mode: 'no-cors' });
    });
    const caught = (): string => here().site.requests.join();
    await expect.poll(caught).toContain('POST http://collector.example/beacon');
    await expect.poll(caught).toContain('GET http://collector.example/fetch');
    await expect.poll(caught).toContain('csp-report'); // the picture violates the policy
  });

  it('with hundreds of elements is unchanged: nodes, focus, accessibility, no visible frame', async () => {
    await page.goto(`${here().site.origin}/long`);
    await page.locator('#user').focus();
    const look = async (): Promise<unknown> => [
      await page.locator('body').ariaSnapshot(),
      await page.evaluate(() => [document.documentElement.outerHTML, document.activeElement?.id, scrollY]),
    ];
    await page.evaluate(() => {
      const painted: number[] = [];
      const watch = (): void => {
        painted.push(document.querySelectorAll('iframe, canvas, video').length);
        requestAnimationFrame(watch);
      };
      watch();
      Object.assign(window, { painted });
    });
    const before = await look();
    await here().collectIn(page, { profile: 'full' });
    expect(await look()).toEqual(before);
    const painted = await page.evaluate(() => (window as unknown as { painted: number[] }).painted);
    expect(new Set(painted)).toEqual(new Set([0]));
  });

  it('may collect before it has a body', async () => {
    const options = { keys: here().workspace.keys, channelId: 2, profile: 'full' };
    await page.evaluate((given) => sessionStorage.setItem('options', JSON.stringify(given)), options);
    await page.goto(`${here().site.origin}/early`);
    const seen = await page.evaluate(async () => {
      const { before, collecting } = window as unknown as { before: unknown; collecting: Promise<string> };
      return { before, token: await collecting };
    });
    expect(seen.before).toEqual([true, 'loading']);
    const content = await here().workspace.open(seen.token);
    expect(content.absent).toEqual({ workerMismatch: 'unsupported' });
  });

  it('may collect twice in parallel: two tokens, one device', async () => {
    const { keys } = here().workspace;
    const tokens = await page.evaluate(
      (given) => Promise.all([0, 1, 2].map(() => ringfence.collect({ keys: given, channelId: 2, profile: 'full' }))),
      keys,
    );
    const contents = await Promise.all(tokens.map((token) => here().workspace.open(token)));
    expect(new Set(contents.map(({ nonce }) => nonce)).size).toBe(3);
    expect(new Set(contents.map((content) => claimOf(content).id)).size).toBe(1);
    const proofs = await Promise.all(contents.map((content) => verifyProof(claimOf(content).proof ?? '')));
    expect(new Set(proofs.map(({ thumbprint }) => thumbprint)).size).toBe(1);
  });

  it('that receives other bytes than were published runs none of them', async () => {
    await page.goto(`${here().site.origin}/changed`);
    expect(await page.evaluate(() => typeof ringfence)).toBe('undefined');
  });
});

/** Prototype.js 1.6, which comes with old component libraries, adds these two methods to lists. */
it('with an old library that changes lists, a token is still complete', async () => {
  await page.evaluate(() =>
    Object.assign(Array.prototype, {
      toJSON(this: unknown[]) {
        return `[${this.join(', ')}]`;
      },
      reduce(this: unknown[]) {
        return this.length > 1 ? this : this[0];
      },
    }),
  );
  const { keys, open } = here().workspace;
  await page.evaluate(() => ringfence.forget());
  // The test's own messages are JSON as well.
  const given = JSON.stringify(keys.keys[0]);
  const collect = `ringfence.collect({ keys: ${given}, channelId: 2 })`;
  await page.evaluate(collect);
  const content = await open(await page.evaluate<string>(collect));
  expect(content.device).toMatchObject({ found: ['indexedDB', 'localStorage'] });
  expect(content.signals).toMatchObject({ languages: expect.arrayContaining(['en-US']), embedding: [] });
});

it.each([
  ['written into a page of the bank', 'srcdoc', ''],
  ['of a page in a sandbox', 'src', 'allow-scripts'],
])('a frame %s has the origin of the bank', async (_, attribute, sandbox) => {
  await page.goto(`${here().site.origin}/framing`);
  await page.evaluate(
    ([name, content, rights]) => {
      const frame = document.createElement('iframe');
      frame.setAttribute(name!, content!);
      if (rights !== '') frame.setAttribute('sandbox', rights!);
      document.body.append(frame);
    },
    [attribute, attribute === 'src' ? '/framed' : scriptElement(here().integrity), sandbox],
  );
  await expect.poll(() => page.frames().length).toBe(2);
  const frame = page.frames()[1]!;
  await frame.waitForFunction(() => typeof ringfence === 'object');
  const { keys, open } = here().workspace;
  const token = await frame.evaluate((given) => ringfence.collect({ keys: given, channelId: 2 }), keys);
  const { origin } = here().site;
  expect(await open(token)).toMatchObject({ origin, signals: { embedding: [origin] } });
});

describe('a worker of the bank', () => {
  it('is compared with the page', async () => {
    await page.goto(`${here().site.origin}/worker`);
    const { keys } = here().workspace;
    const collect = (): Promise<string> =>
      page.evaluate(
        (given) => ringfence.collect({ keys: given, channelId: 2, worker: new Worker('/ringfence-device-worker.js') }),
        keys,
      );
    expect((await here().workspace.open(await collect())).signals['workerMismatch']).toEqual([]);
    await page.evaluate(() => Object.defineProperty(Navigator.prototype, 'platform', { get: () => 'Win32' }));
    expect((await here().workspace.open(await collect())).signals['workerMismatch']).toEqual(['platform']);
  });

  it('that never answers is omitted at the limit', async () => {
    await impatientPage('/worker');
    const { keys } = here().workspace;
    const token = await page.evaluate(
      (given) => ringfence.collect({ keys: given, channelId: 2, worker: new Worker('/early.js') }),
      keys,
    );
    expect((await here().workspace.open(token)).absent).toEqual({ workerMismatch: 'timeout' });
  });
});

/** A page with timers of normal speed. */
async function impatientPage(path: string): Promise<Page> {
  await context.close();
  context = await here().newContext(1);
  page = await context.newPage();
  await page.goto(`${here().site.origin}${path}`);
  return page;
}

/** The page's clock stops until the test moves it: the limits are tested without waiting. */
async function stillPage(): Promise<void> {
  await impatientPage('/login');
  await page.clock.install();
  await page.reload();
  await page.clock.pauseAt(Date.now() + 60_000);
}

describe('the limit', () => {
  /** Starts a collection, and stores its result in the page. */
  const begin = (): Promise<void> =>
    page.evaluate((keys) => {
      const startedMs = performance.now();
      const run = async (): Promise<void> => {
        const token = await ringfence.collect({ keys, channelId: 2, profile: 'full' });
        Object.assign(window, { outcome: [token, performance.now() - startedMs] });
      };
      void run();
    }, here().workspace.keys);
  const outcome = (): Promise<readonly [token: string, ms: number] | undefined> =>
    page.evaluate(() => (window as unknown as { outcome?: [string, number] }).outcome);

  it('cuts off a hanging part, and keeps the rest', async () => {
    await stillPage();
    await page.evaluate(() => {
      Permissions.prototype.query = () => new Promise(() => {});
      MediaDevices.prototype.enumerateDevices = () => new Promise(() => {});
      IDBFactory.prototype.open = () => ({ addEventListener: () => undefined }) as unknown as IDBOpenDBRequest;
    });
    await begin();
    await page.clock.runFor(limits.headStartMs);
    await turns(page);
    expect(await outcome()).toBeUndefined();
    await page.clock.runFor(limits.gatherMs - limits.headStartMs);
    await expect.poll(outcome).toBeDefined();
    const [token, ms] = (await outcome())!;
    expect(ms).toBeLessThanOrEqual(1_500);
    const content = await here().workspace.open(token);
    expect(content.absent).toMatchObject({ permissions: 'timeout', mediaDevices: 'timeout' });
    expect(content.signals).toMatchObject({ platform: 'Linux x86_64' });
    expect(claimOf(content)).toMatchObject({ found: [] }); // no key to prove it, but localStorage keeps it
    expect(claimOf(content).proof).toBeUndefined();
  });

  it.each(['encrypt', 'generateKey', 'importKey', 'deriveBits', 'sign'] as const)(
    'applies to WebCrypto: %s',
    async (name) => {
      await stillPage();
      await page.evaluate((method) => {
        SubtleCrypto.prototype[method] = () => new Promise<never>(() => {});
      }, name);
      await begin();
      await expect
        .poll(async () => {
          await page.clock.runFor(100);
          return outcome();
        })
        .toBeDefined();
      const [token] = (await outcome())!;
      expect(token).toBe('');
    },
  );

  it('applies to keys that never arrive', async () => {
    await impatientPage('/login');
    const said = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const troubles: string[] = [];
          const onTrouble = (error: unknown): void => void troubles.push(String(error));
          const collecting = ringfence.collect({ keys: new Promise(() => {}), channelId: 2, onTrouble });
          void collecting.then((token) => resolve([token, troubles]));
        }),
    );
    expect(said).toEqual(['', [`Error: keys: not there after ${limits.gatherMs} ms`]]);
  });
});

describe('without a token', () => {
  it.each([
    ['no options', undefined],
    ['no keys', { channelId: 2 }],
    ['an empty set', { channelId: 2, keys: { keys: [] } }],
    ['a key that is no point', { channelId: 2, keys: { kty: 'EC', crv: 'P-256', kid: 'a', x: 'AA', y: 'AA' } }],
    ['a profile that there is not', { keys: { keys: [] }, channelId: 2, profile: 'all' }],
    ['a channel that is no number', { keys: { keys: [] }, channelId: 'web' }],
  ])('for %s: "", and the page learns why', async (_, options) => {
    const said = await page.evaluate(async (given) => {
      const troubles: string[] = [];
      const onTrouble = (error: unknown): void => void troubles.push(String(error));
      const whole = given === undefined ? undefined : { ...given, onTrouble };
      return [await ringfence.collect(whole as never), troubles.length];
    }, options);
    expect(said).toEqual(['', options === undefined ? 0 : 1]);
  });

  it('without a listener, the reason is in the console', async () => {
    const warnings: string[] = [];
    page.on('console', (message) => warnings.push(`${message.type()}: ${message.text()}`));
    expect(await page.evaluate(() => ringfence.collect({ channelId: 2 } as never))).toBe('');
    await expect.poll(() => warnings.join()).toMatch(/^warning: ringfence: Error: keys: expected a key set/);
  });

  it('on a page without https, which has no WebCrypto: ""', async () => {
    await page.goto('http://bank.example/login');
    const said = await page.evaluate(async (keys) => {
      const troubles: string[] = [];
      const onTrouble = (error: unknown): void => {
        troubles.push(String(error));
        throw new Error('whoever listens is broken too');
      };
      return [isSecureContext, await ringfence.collect({ keys, channelId: 2, onTrouble }), troubles];
    }, here().workspace.keys);
    expect(said).toEqual([false, '', ['Error: WebCrypto: only there on https and localhost']]);
  });

  it('leaves no unhandled rejection', async () => {
    await stillPage();
    await page.evaluate(async () => {
      const rejections: string[] = [];
      Object.assign(window, { rejections });
      addEventListener('unhandledrejection', ({ reason }) => rejections.push(String(reason)));
      await ringfence.collect({ keys: Promise.reject(new Error('offline')), channelId: 2 });
      // The keys are not awaited if something else fails first.
      await ringfence.collect({ keys: Promise.reject(new Error('offline')), channelId: NaN });
      await ringfence.collect({ keys: { keys: [] }, channelId: 2, profile: 'full' });
    });
    await page.clock.runFor(limits.gatherMs + limits.sealMs); // every timer of both fires
    await turns(page);
    expect(await page.evaluate(() => (window as unknown as { rejections: string[] }).rejections)).toEqual([]);
  });
});

it('keys may be a promise, and the first usable one is used', async () => {
  const other = await newWorkspace('workspace-2');
  const token = await page.evaluate(
    ([first, second]) =>
      ringfence.collect({
        keys: Promise.resolve({ keys: [{ ...first!.keys[0]!, use: 'sig' }, ...second!.keys] }),
        channelId: 2,
      }),
    [here().workspace.keys, other.keys],
  );
  expect((await other.open(token)).channelId).toBe(2);
});
