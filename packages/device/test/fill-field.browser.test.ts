/** The hidden field of a form that a server renders, sent like any form. */
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../../tools/testing/chromium.ts';
import { limits } from '../src/limits.ts';
import { type BankBrowser, openBankBrowser, scriptElement } from './bank-browser.ts';
import { turns } from './turns.ts';

/** The limits of a collection are longer by this factor; three of them are less than the age of a token. */
const patience = 10;

const form = '<form action="/sent"><input name="user"><input type="hidden" name="data"><button>Log in</button></form>';
const bank = await openBankBrowser((integrity) => ({
  '/login': { body: `<!doctype html><title>Bank</title>${scriptElement(integrity)}${form}` },
  '/sent': { body: '<!doctype html><title>Sent</title>' },
}));
afterAll(() => bank?.close());

let context: BrowserContext;
let page: Page;
const here = (): BankBrowser => bank!;
const field = (): Promise<string> => page.locator('[name=data]').inputValue();

beforeEach(async ({ skip }) => {
  if (bank === undefined) return skip(noChromium);
  context = await bank.newContext(patience);
  page = await context.newPage();
  await page.clock.install();
  await page.goto(`${bank.site.origin}/login`);
});
afterEach(() => context?.close());

async function begin(signals = {}): Promise<void> {
  await page.evaluate(
    (options) => {
      const input = document.querySelector<HTMLInputElement>('[name=data]')!;
      Object.assign(window, { stop: ringfence.fillField(input, options) });
    },
    { keys: here().workspace.keys, channelId: 2, signals },
  );
}

async function fill(): Promise<void> {
  await begin();
  await expect.poll(field).not.toBe('');
}

describe('a hidden field', () => {
  it('is sent with its token', async () => {
    await fill();
    await page.locator('[name=user]').fill('ana');
    await page.locator('button').click();
    await page.waitForURL('**/sent?*');
    const sent = new URL(page.url()).searchParams;
    expect(sent.get('user')).toBe('ana');
    expect((await here().workspace.open(sent.get('data') ?? '')).channelId).toBe(2);
  });

  it('is refilled when the person comes back after a while, and not before', async () => {
    await fill();
    const first = await field();
    await page.locator('[name=user]').focus();
    expect(await field()).toBe(first);
    await page.clock.runFor(limits.fieldAgeMsMax);
    expect(await field()).toBe(first);
    await page.locator('[name=user]').fill('ana');
    await expect.poll(field).not.toBe(first);
    expect((await here().workspace.open(await field())).channelId).toBe(2);
  });

  /** The monotonic clock stops while a computer sleeps, and does not follow a clock that is set. */
  it.each([
    ['the computer slept', 8 * 3_600_000],
    ['the clock was set back', -3_600_000],
  ])('is refilled when %s, with the new time', async (_, differenceMs) => {
    await fill();
    const first = await field();
    const before = await page.evaluate(() => Date.now());
    await page.clock.setSystemTime(before + differenceMs);
    await page.locator('[name=user]').focus();
    await expect.poll(field).not.toBe(first);
    const { iat } = await here().workspace.open(await field());
    expect(Math.abs(iat * 1_000 - before - differenceMs)).toBeLessThan(limits.fieldAgeMsMax);
  });

  it('is refilled after it was sent, whatever the result', async () => {
    await fill();
    const first = await field();
    await page.evaluate(() => addEventListener('submit', (event) => event.preventDefault()));
    await page.locator('button').click();
    await expect.poll(field).toBe(first);
    await page.locator('[name=user]').fill('ana');
    await expect.poll(field).not.toBe(first);
  });

  it('is refilled if a script sent it without an event', async () => {
    await fill();
    const first = await field();
    await page.evaluate(() => {
      const form = document.forms[0]!;
      form.target = 'elsewhere';
      form.append(Object.assign(document.createElement('iframe'), { name: 'elsewhere' }));
      form.submit();
    });
    await page.clock.runFor(limits.readAgeMsMax);
    await page.locator('[name=user]').fill('ana');
    await expect.poll(field).not.toBe(first);
  });

  it('is refilled seldom, and never empty, if scripts of the page read it at every key press', async () => {
    await fill();
    const first = await field();
    await page.evaluate(() => {
      Object.assign(window, { seen: [] });
      document.forms[0]!.addEventListener('input', ({ currentTarget }) => {
        const { seen } = window as unknown as { seen: unknown[] };
        seen.push(new FormData(currentTarget as HTMLFormElement).get('data'));
      });
    });
    await page.locator('[name=user]').pressSequentially('anastasia');
    const seen = await page.evaluate(() => (window as unknown as { seen: unknown[] }).seen);
    expect(seen).toEqual(Array(9).fill(first));
  });

  it('is refilled in a page that is restored from the history', async () => {
    await fill();
    const first = await field();
    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    // It is empty until there is another token.
    await expect.poll(async () => ['', first].includes(await field())).toBe(false);
    expect((await here().workspace.open(await field())).channelId).toBe(2);
  });

  it('retries keys that the page could not fetch, a limited number of times', async () => {
    const asked = await page.evaluate(() => {
      const asked = { times: 0 };
      const keys = (): Promise<never> => {
        asked.times++;
        return Promise.reject(new Error('offline'));
      };
      Object.assign(window, { asked });
      const input = document.querySelector<HTMLInputElement>('[name=data]')!;
      ringfence.fillField(input, { keys, channelId: 2, onTrouble: () => undefined });
      return asked.times;
    });
    const times = (): Promise<number> =>
      page.evaluate(() => (window as unknown as { asked: { times: number } }).asked.times);
    expect(asked).toBe(1);
    for (let time = 0; time < 5; time++) {
      await page.locator('[name=user]').pressSequentially('a');
      await turns(page);
    }
    expect(await times()).toBe(1 + limits.fieldAgainMax);
    expect(await field()).toBe('');
  });

  it('has a token as soon as a later fetch of its keys succeeds', async () => {
    await page.evaluate((keys) => {
      let times = 0;
      const fetched = () => (times++ === 0 ? Promise.reject(new Error('offline')) : Promise.resolve(keys));
      const input = document.querySelector<HTMLInputElement>('[name=data]')!;
      ringfence.fillField(input, { keys: fetched, channelId: 2, onTrouble: () => undefined });
    }, here().workspace.keys);
    await turns(page);
    await page.locator('[name=user]').fill('ana');
    await expect.poll(field).not.toBe('');
    expect((await here().workspace.open(await field())).channelId).toBe(2);
  });

  it('contains no used token while the next one is made after a submit', async () => {
    await begin({ mediaDevices: true });
    await expect.poll(field).not.toBe('');
    await page.evaluate(() => {
      addEventListener('submit', (event) => event.preventDefault());
      // The next collection waits for this until its limit.
      MediaDevices.prototype.enumerateDevices = () => new Promise(() => {});
    });
    await page.locator('button').click();
    await page.locator('[name=user]').fill('ana');
    expect(await field()).toBe('');
  });

  it('is refilled at the next key press if something was late, a limited number of times', async () => {
    await page.evaluate(() => {
      Object.assign(window, { asked: 0 });
      MediaDevices.prototype.enumerateDevices = () => {
        Object.assign(window, { asked: (window as unknown as { asked: number }).asked + 1 });
        return new Promise(() => {});
      };
    });
    const asked = (): Promise<number> => page.evaluate(() => (window as unknown as { asked: number }).asked);
    await begin({ mediaDevices: true });
    let last = '';
    for (let time = 1; time <= 1 + limits.fieldAgainMax; time++) {
      await expect.poll(asked).toBe(time);
      await turns(page);
      await page.clock.runFor(limits.gatherMs * patience);
      await expect.poll(field).not.toBe(last);
      last = await field();
      expect((await here().workspace.open(last)).absent).toMatchObject({ mediaDevices: 'timeout' });
      await page.locator('[name=user]').pressSequentially('a');
    }
    await turns(page);
    expect(await asked()).toBe(1 + limits.fieldAgainMax);
    expect(await field()).toBe(last);
  });

  it('that does not exist breaks nothing of the page', async () => {
    const said = await page.evaluate((keys) => {
      const troubles: string[] = [];
      const onTrouble = (error: unknown): void => void troubles.push(String(error));
      for (const field of [document.querySelector('[name=nosuch]'), '[name=data]', document.body]) {
        ringfence.fillField(field as never, { keys, channelId: 2, onTrouble })();
      }
      return troubles;
    }, here().workspace.keys);
    expect(said).toEqual(Array(3).fill('Error: fillField: expected the input element of a form'));
  });

  it('is left alone once it is stopped', async () => {
    await fill();
    const first = await field();
    await page.evaluate(() => (window as unknown as { stop: () => void }).stop());
    await page.clock.runFor(limits.fieldAgeMsMax);
    await page.locator('[name=user]').fill('ana');
    await page.evaluate((keys) => ringfence.collect({ keys, channelId: 2 }), here().workspace.keys);
    expect(await field()).toBe(first);
  });
});
