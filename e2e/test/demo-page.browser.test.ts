/**
 * The demo's bank with its real page: a browser logs in twice, and is recognised the second time; that a program drives
 * it is seen; and whoever sends its token again is caught, told by webhook, and logged out.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, devices, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium, openChromium, slowTimers } from '../../tools/testing/chromium.ts';
import { eventually } from '../harness/eventually.ts';

const main = resolve(import.meta.dirname, '../../apps/demo-bank/src/main.ts');
/** The demo starts, plays its stories for half a minute, and then says where everything is. */
const beginMsMax = 240_000;

interface SeenEvent {
  readonly client: string;
  readonly kind: string;
  readonly fired: readonly number[];
  readonly shadow: readonly number[];
}

describe('the page of the demo’s bank', () => {
  let browser: Browser | undefined;
  let demo: ChildProcess;
  let folder: string;
  let said = '';

  beforeAll(async () => {
    browser = await openChromium();
    if (browser === undefined) return;
    folder = mkdtempSync(join(tmpdir(), 'ringfence-demo-page-'));
    // Open for the unprivileged user that a database of root's runs as.
    chmodSync(folder, 0o711);
    demo = spawn(process.execPath, [main], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [demo.stdout!, demo.stderr!]) stream.on('data', (text: Buffer) => (said += text.toString()));
    await eventually('the demo serves', beginMsMax, () => said.includes('Ctrl+C stops everything.') || undefined);
  }, beginMsMax + 10_000);
  beforeEach(({ skip }) => {
    if (browser === undefined) skip(noChromium);
  });
  afterAll(async () => {
    await browser?.close();
    if (demo === undefined) return;
    demo.kill('SIGTERM');
    if (demo.exitCode === null) await once(demo, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const told = (pattern: RegExp): string => pattern.exec(said)?.[1] ?? '';
  const pageUrl = (): string => told(/The bank's page {2}(\S+)/);

  /** A browser that was never here. */
  async function newContext(options?: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser!.newContext(options);
    await slowTimers(context);
    return context;
  }

  /** @returns the token that went with it */
  async function logIn(page: Page, user: string): Promise<string> {
    await page.goto(pageUrl());
    const field = page.locator('[name=data]');
    const token = await eventually(
      'the page has its token',
      40_000,
      async () => (await field.inputValue()) || undefined,
    );
    await page.locator('[name=user]').fill(user);
    await page.locator('button').click();
    await page.waitForURL('**/account');
    expect(await page.locator('#state').textContent()).toContain('You are logged in.');
    return token;
  }

  /** The logins of a user that are decided, the oldest first. */
  async function logins(user: string, count: number): Promise<readonly SeenEvent[]> {
    const api = `${told(/"Authorization: Bearer \$TOKEN" (\S+)\/decisions/)}/events`;
    const headers = { authorization: `Bearer ${told(/TOKEN=(\S+)/)}` };
    return eventually(`${count} logins of ${user} are decided`, 20_000, async () => {
      const answer = await fetch(`${api}?limit=50&client=${user}`, { headers });
      const { items } = (await answer.json()) as { readonly items: readonly SeenEvent[] };
      return items.length >= count ? items.toReversed() : undefined;
    });
  }

  it('knows a browser the second time, and sees that a program drives it', async () => {
    const context = await newContext();
    const page = await context.newPage();
    await logIn(page, 'rita');
    await logIn(page, 'rita');
    const [first, second] = await logins('rita', 2);
    expect(first).toMatchObject({ kind: 'login', fired: expect.arrayContaining([951, 1814]) as number[], shadow: [] });
    expect(second!.fired).toContain(1814);
    expect(second!.fired).not.toContain(951);
    expect(second!.shadow).toContain(952);
    await eventually('the webhook arrives', 20_000, () => /rita .*rule 951/.test(said) || undefined);
    await context.close();
  });

  /** What the second login fires, of a user who logged in before with an ordinary window. */
  async function comesBack(user: string, as: BrowserContextOptions): Promise<SeenEvent> {
    for (const options of [{}, as]) {
      // A context of its own has nothing of the other: no id, no key.
      const context = await newContext(options);
      await logIn(await context.newPage(), user);
      await context.close();
    }
    return (await logins(user, 2))[1]!;
  }

  it.each([
    ['with its storage cleared', 'ada', {}],
    ['in a window of another size', 'ben', { viewport: { width: 900, height: 600 } }],
    ['in another language', 'cora', { locale: 'de-DE' }],
  ])('knows a browser %s', async (_, user, as) => {
    const { fired, shadow } = await comesBack(user, as);
    expect(fired).not.toContain(951);
    expect(shadow).toContain(952);
  });

  it('knows a browser that was updated', async () => {
    const agent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser!.version().split('.')[0]}.0.0.0 Safari/537.36`;
    const older = agent.replace(/Chrome\/\d+/, 'Chrome/120');
    const contexts = [{ userAgent: older }, { userAgent: agent }];
    for (const options of contexts) {
      const context = await newContext(options);
      await logIn(await context.newPage(), 'dora');
      await context.close();
    }
    const [, second] = await logins('dora', 2);
    expect(second!.shadow).toContain(952);
  });

  it('does not take a telephone for it', async () => {
    const { fired, shadow } = await comesBack('emil', { ...devices['Pixel 7'], timezoneId: 'Asia/Tokyo' });
    expect(fired).toContain(951);
    expect(shadow).not.toContain(952);
  });

  it('tells an id that was copied without its key', async () => {
    const own = await newContext();
    const page = await own.newPage();
    await logIn(page, 'fay');
    const copied = await page.evaluate(() => Object.fromEntries(Object.entries(localStorage)));
    await own.close();
    const other = await newContext({ ...devices['Pixel 7'], timezoneId: 'Asia/Tokyo' });
    await other.addInitScript((items) => Object.assign(localStorage, items), copied);
    await logIn(await other.newPage(), 'fay');
    await other.close();
    expect((await logins('fay', 2))[1]!.fired).toEqual(expect.arrayContaining([951, 1826]));
  });

  it('catches a token that comes a second time, and the bank closes that session', async () => {
    const context = await newContext();
    const stolen = await logIn(await context.newPage(), 'sara');
    const thief = await fetch(`${pageUrl()}login`, {
      method: 'POST',
      body: new URLSearchParams({ user: 'tom', data: stolen }),
      redirect: 'manual',
    });
    const cookie = thief.headers.get('set-cookie')!.split(';')[0]!;
    expect((await logins('tom', 1))[0]!.fired).toContain(1818);
    await eventually('the bank closes the session', 20_000, async () => {
      const page = await fetch(`${pageUrl()}account`, { headers: { cookie } });
      return (await page.text()).includes('You are not logged in.') || undefined;
    });
    expect(said).toMatch(/tom .*rule 1818/);
    await context.close();
  });
});
