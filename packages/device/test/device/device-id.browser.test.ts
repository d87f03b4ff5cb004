/** The id that the browser stores: over visits, tabs, losses, copies, and with denied storage. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../../../tools/testing/chromium.ts';
import type { DeviceClaim } from '../../src/content.ts';
import { limits } from '../../src/limits.ts';
import { type BankBrowser, openBankBrowser, scriptElement } from '../bank-browser.ts';
import { strictPolicy } from '../bank-site.ts';
import { claimOf, verifyProof } from '../opened-token.ts';
import { turns } from '../turns.ts';

const bank = await openBankBrowser((integrity) => ({
  '/login': { body: `<!doctype html><title>Bank</title>${scriptElement(integrity)}` },
  '/sandboxed': {
    body: `<!doctype html><title>Bank</title>${scriptElement(integrity)}`,
    policy: `${strictPolicy}; sandbox allow-scripts`,
  },
  '/around': { body: '<!doctype html><title>Another site</title>', policy: "default-src 'none'; frame-src *" },
}));
afterAll(() => bank?.close());

let context: BrowserContext;
let page: Page;
const here = (): BankBrowser => bank!;

beforeEach(async ({ skip }) => {
  if (bank === undefined) return skip(noChromium);
  context = await bank.newContext();
  page = await context.newPage();
  await page.goto(`${bank.site.origin}/login`);
});
afterEach(() => context?.close());

async function claimIn(tab: Page, cookie = false): Promise<DeviceClaim> {
  return claimOf(await here().collectIn(tab, { cookie }));
}

async function thumbprintOf({ proof }: DeviceClaim): Promise<string> {
  return (await verifyProof(proof ?? '')).thumbprint;
}

describe('the device id', () => {
  it('is new once, and then found in both stores with the same key', async () => {
    const first = await claimIn(page);
    await page.reload();
    const second = await claimIn(page);
    expect(first.found).toEqual([]);
    expect(second).toMatchObject({ id: first.id, createdAt: first.createdAt, found: ['indexedDB', 'localStorage'] });
    expect(await thumbprintOf(second)).toBe(await thumbprintOf(first));
  });

  it('is proved for this token alone: id, nonce, time, origin', async () => {
    const content = await here().collectIn(page);
    const { id, proof = '' } = claimOf(content);
    const { nonce, iat, origin } = content;
    expect((await verifyProof(proof)).claims).toEqual({ id, nonce, iat, origin });
    const [header, claims, signature] = proof.split('.');
    const forged = Buffer.from(claims!, 'base64url').toString().replace(nonce, 'A'.repeat(22));
    const moved = [header, Buffer.from(forged).toString('base64url'), signature].join('.');
    await expect(verifyProof(moved)).rejects.toThrow('verification failed');
  });

  it('has a key that the page can use but not export', async () => {
    await claimIn(page);
    const taken = await page.evaluate(async () => {
      const open = indexedDB.open('ringfence');
      await new Promise((resolve) => open.addEventListener('success', resolve));
      const get = open.result.transaction('device').objectStore('device').get('self');
      await new Promise((resolve) => get.addEventListener('success', resolve));
      const { privateKey } = (get.result as { keys: CryptoKeyPair }).keys;
      return crypto.subtle.exportKey('jwk', privateKey).then(
        () => 'exported',
        (error: DOMException) => error.name,
      );
    });
    expect(taken).toBe('InvalidAccessError');
  });

  it('is the same in two tabs that start at the same time', async () => {
    const tab = await context.newPage();
    await tab.goto(`${here().site.origin}/login`);
    const claims = await Promise.all([claimIn(page), claimIn(tab)]);
    expect(claims[1].id).toBe(claims[0].id);
    expect(await thumbprintOf(claims[1])).toBe(await thumbprintOf(claims[0]));
  });

  it('differs between browsers', async () => {
    const first = await claimIn(page);
    const other = await here().newContext();
    const tab = await other.newPage();
    await tab.goto(`${here().site.origin}/login`);
    expect((await claimIn(tab)).id).not.toBe(first.id);
    await other.close();
  });

  /** An attacker copies everything that a page can read to another browser: the id is included, the key is not. */
  it('that was copied comes with another key', async () => {
    const owner = await claimIn(page);
    const stolen = await page.evaluate(() => localStorage.getItem('ringfence.device')!);
    const other = await here().newContext();
    const tab = await other.newPage();
    await tab.goto(`${here().site.origin}/login`);
    await tab.evaluate((item) => localStorage.setItem('ringfence.device', item), stolen);
    const thief = await claimIn(tab);
    expect(thief).toMatchObject({ id: owner.id, found: ['localStorage'] });
    expect(await thumbprintOf(thief)).not.toBe(await thumbprintOf(owner));
    await other.close();
  });

  it('survives the loss of localStorage, with its key', async () => {
    const first = await claimIn(page);
    await page.evaluate(() => localStorage.clear());
    const second = await claimIn(page);
    expect(second).toMatchObject({ id: first.id, found: ['indexedDB'] });
    expect(await thumbprintOf(second)).toBe(await thumbprintOf(first));
    expect((await claimIn(page)).found).toEqual(['indexedDB', 'localStorage']);
  });

  it('is ignored if it is malformed', async () => {
    await page.evaluate(() => localStorage.setItem('ringfence.device', '"><script>alert(1)</script>'));
    expect((await claimIn(page)).id).toMatch(/^[\w-]{22}$/);
  });

  it.each([
    ['text', 'garbage'],
    ['another shape', { id: 7 }],
    ['a key of another kind', { id: 'A'.repeat(22), createdAt: 1, keys: 'AES-GCM' }],
  ])('survives %s in the database', async (_, garbage) => {
    await claimIn(page);
    await page.evaluate(async (record) => {
      const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt']);
      const open = indexedDB.open('ringfence');
      await new Promise((resolve) => open.addEventListener('success', resolve));
      const store = open.result.transaction('device', 'readwrite').objectStore('device');
      const isKeyed = typeof record === 'object' && 'keys' in record;
      const put = store.put(isKeyed ? { ...record, keys: { privateKey: key, publicKey: key } } : record, 'self');
      await new Promise((resolve) => put.addEventListener('success', resolve));
      open.result.close();
    }, garbage);
    const claim = await claimIn(page);
    expect(claim.id).toMatch(/^[\w-]{22}$/);
    // A valid key of another type can't sign; everything else is replaced by a key of ours.
    expect(claim.proof === undefined).toBe(typeof garbage === 'object' && 'keys' in garbage);
  });

  it('stays the same if the database answers too late', async () => {
    await page.evaluate((limit) => {
      const { prototype } = IDBFactory;
      const open = prototype.open.bind(indexedDB);
      const gate = Promise.withResolvers<void>();
      prototype.open = (name) => {
        const late = new EventTarget();
        void gate.promise.then(() => {
          const request = open(name, 1);
          for (const kind of ['upgradeneeded', 'success']) {
            request.addEventListener(kind, () => {
              Object.assign(late, { result: request.result });
              late.dispatchEvent(new Event(kind));
            });
          }
        });
        return late as IDBOpenDBRequest;
      };
      // The test triggers the limit, when WebCrypto has finished its work.
      const plain = setTimeout;
      const generateKey = crypto.subtle.generateKey.bind(crypto.subtle) as (...given: unknown[]) => Promise<never>;
      SubtleCrypto.prototype.generateKey = (...given: unknown[]) => {
        const making = generateKey(...given);
        void making.then(() => Object.assign(window, { isMade: true }));
        return making;
      };
      Object.assign(window, {
        release: gate.resolve,
        setTimeout: (run: () => void, ms = 0) =>
          ms === limit ? Object.assign(window, { expire: run }) : plain(run, 0),
      });
    }, limits.gatherMs);
    const collecting = claimIn(page);
    await page.waitForFunction(() => 'isMade' in window);
    await turns(page);
    await page.evaluate(() => (window as unknown as { expire: () => void }).expire());
    const early = await collecting;
    expect(early.proof).toBeUndefined();
    await page.evaluate(() => (window as unknown as { release: () => void }).release());
    await page.reload();
    await expect.poll(async () => (await claimIn(page)).found).toEqual(['indexedDB', 'localStorage']);
    expect((await claimIn(page)).id).toBe(early.id);
  });

  it('is in a cookie only if the option is set, and is found there', async () => {
    const first = await claimIn(page);
    expect(await context.cookies()).toEqual([]);
    expect((await claimIn(page, true)).found).toEqual(['indexedDB', 'localStorage']);
    expect(await context.cookies()).toMatchObject([
      { name: 'ringfence_device', value: `${first.id}.${first.createdAt}`, sameSite: 'Strict' },
    ]);
    await page.evaluate(async () => {
      localStorage.clear();
      for (const { name } of await indexedDB.databases()) indexedDB.deleteDatabase(name!);
    });
    expect(await claimIn(page, true)).toMatchObject({ id: first.id, found: ['cookie'] });
  });

  it('is not created if the bank disabled it', async () => {
    const content = await here().collectIn(page, { remember: false });
    expect(content.device).toEqual({ absent: 'off' });
    const kept = await page.evaluate(async () => [localStorage.length, (await indexedDB.databases()).length]);
    expect(kept).toEqual([0, 0]);
  });

  it('can be forgotten', async () => {
    const first = await claimIn(page, true);
    expect(await page.evaluate(() => ringfence.forget())).toBe(true);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    expect(await context.cookies()).toEqual([]);
    const second = await claimIn(page, true);
    expect(second.found).toEqual([]);
    expect(second.id).not.toBe(first.id);
    expect(await thumbprintOf(second)).not.toBe(await thumbprintOf(first));
  });
});

describe('with denied storage', () => {
  /** A sandboxed page has an opaque origin without storage: every store throws. */
  it('there is no id, and the token says so', async () => {
    await page.goto(`${here().site.origin}/sandboxed`);
    const content = await here().collectIn(page, { profile: 'full', cookie: true });
    expect(content.device).toEqual({ absent: 'blocked' });
    expect(content.signals['storage']).not.toContain('localStorage');
    expect(content.signals).toMatchObject({ platform: 'Linux x86_64' });
    expect(await page.evaluate(() => ringfence.forget())).toBe(false);
  });

  it('for databases only, the id is sent without a proof', async () => {
    await page.evaluate(() => {
      IDBFactory.prototype.open = () => {
        throw new DOMException('denied', 'SecurityError');
      };
    });
    const first = await claimIn(page);
    expect(first.proof).toBeUndefined();
    expect(await claimIn(page)).toEqual({ ...first, found: ['localStorage'] });
  });

  it('for localStorage only, the database keeps id and key', async () => {
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    const first = await claimIn(page);
    const second = await claimIn(page);
    expect(second).toMatchObject({ id: first.id, found: ['indexedDB'] });
    expect(await thumbprintOf(second)).toBe(await thumbprintOf(first));
  });

  it('for keys in databases, the id is sent without a proof', async () => {
    const errors: Error[] = [];
    page.on('pageerror', (error) => errors.push(error));
    await page.evaluate(() => {
      IDBObjectStore.prototype.put = () => {
        throw new DOMException('private window', 'DataCloneError');
      };
    });
    const first = await claimIn(page);
    expect(first.proof).toBeUndefined();
    expect(await claimIn(page)).toMatchObject({ id: first.id, found: ['localStorage'] });
    expect(errors).toEqual([]);
  });
});

/** Browsers give an embedded site separate storage, or none. */
it('inside a foreign page the id differs, and the token names the embedding page', async () => {
  const own = await claimIn(page);
  const { origin } = here().site;
  const foreign = origin.replace('127.0.0.1', 'localhost'); // another site, and a secure context as well
  await page.goto(`${foreign}/around`);
  await page.evaluate(
    (src) => document.body.append(Object.assign(document.createElement('iframe'), { src })),
    `${origin}/login`,
  );
  await expect.poll(() => page.frames().length).toBe(2);
  const frame = page.frames()[1]!;
  await frame.waitForFunction(() => typeof ringfence === 'object');
  const { keys, open } = here().workspace;
  const content = await open(await frame.evaluate((given) => ringfence.collect({ keys: given, channelId: 2 }), keys));
  expect(content).toMatchObject({ origin, signals: { embedding: [foreign] } });
  expect(content.device).not.toMatchObject({ id: own.id });
});
