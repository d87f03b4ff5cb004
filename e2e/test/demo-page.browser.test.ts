/**
 * The demo's bank with its real page: a browser is recognized at its second login, automation is detected, and a
 * replayed
 * token is detected, reported by webhook, and its session closed. Also the link to the console.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, devices, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium, openChromium, slowTimers } from '../../tools/testing/chromium.ts';
import { browserPatienceMs } from '../harness/browser-patience.ts';
import { eventually } from '../harness/eventually.ts';

const root = resolve(import.meta.dirname, '../..');
const main = resolve(root, 'apps/demo-bank/src/main.ts');
/** The demo starts, plays its stories for a minute, and then prints its addresses. */
const beginMsMax = 240_000;

interface SeenEvent {
  readonly client: string;
  readonly kind: string;
  readonly fired: readonly number[];
  readonly shadow: readonly number[];
}

interface Login {
  readonly token: string;
  readonly event: SeenEvent;
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
    // Accessible to the unprivileged user that runs the database if started by root.
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

  /** A new browser. */
  async function newContext(options?: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser!.newContext(options);
    context.setDefaultTimeout(browserPatienceMs);
    await slowTimers(context);
    return context;
  }

  /** A rule may close a session before its first page loads: only a user without firings can expect it to be open. */
  async function isLoggedIn(page: Page): Promise<boolean> {
    const state = await page.locator('#state').textContent();
    expect(state).toMatch(/^You are (not )?logged in\./);
    return state === 'You are logged in.';
  }

  /** The logins of each user so far. */
  const loginsOf = new Map<string, number>();

  /** @returns once it is decided, so that later events of any user are decided after it */
  async function logIn(page: Page, user: string): Promise<Login> {
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
    return { token, event: await nextLogin(user) };
  }

  async function nextLogin(user: string): Promise<SeenEvent> {
    const before = loginsOf.get(user) ?? 0;
    loginsOf.set(user, before + 1);
    const api = `${told(/"Authorization: Bearer \$TOKEN" (\S+)\/decisions/)}/events`;
    const headers = { authorization: `Bearer ${told(/TOKEN=(\S+)/)}` };
    return eventually(`login ${before + 1} of ${user} is decided`, 20_000, async () => {
      const answer = await fetch(`${api}?limit=50&client=${user}`, { headers });
      const { items } = (await answer.json()) as { readonly items: readonly SeenEvent[] };
      return items.toReversed()[before];
    });
  }

  it('links to the console, which has an alert for each story', async () => {
    const context = await newContext();
    const page = await context.newPage();
    await page.goto(told(/(http\S+\/console\/first#token=\S+)/));
    await page.getByLabel('Your name').fill('Ines');
    await page.getByLabel('E-mail address').fill('ines@bank.example');
    await page.getByLabel('Password').fill('a password for a demo');
    await page.getByRole('button', { name: 'Create my account' }).click();
    await page.getByRole('link', { name: 'Alerts' }).first().click();
    const open = page.getByText(/\d+ open/).first();
    await open.waitFor();
    expect(await open.textContent()).toContain('13 open');
    await context.close();
  });

  it('recognizes a browser at the second visit, and detects automation', async () => {
    const context = await newContext();
    const page = await context.newPage();
    const { event: first } = await logIn(page, 'rita');
    expect(await isLoggedIn(page)).toBe(true);
    const { event: second } = await logIn(page, 'rita');
    expect(await isLoggedIn(page)).toBe(true);
    expect(first).toMatchObject({ kind: 'login', fired: expect.arrayContaining([951, 1814]) as number[], shadow: [] });
    expect(second.fired).toContain(1814);
    expect(second.fired).not.toContain(951);
    expect(second.shadow).toContain(952);
    await eventually('the webhook arrives', 20_000, () => /rita .*rule 951/.test(said) || undefined);
    await context.close();
  });

  /** The rules that fire on the second login of a user whose first one had an ordinary window. */
  async function comesBack(user: string, as: BrowserContextOptions): Promise<SeenEvent> {
    await logInAs(user, {});
    return logInAs(user, as);
  }

  async function logInAs(user: string, options: BrowserContextOptions): Promise<SeenEvent> {
    // A separate context shares neither id nor key.
    const context = await newContext(options);
    const { event } = await logIn(await context.newPage(), user);
    await context.close();
    return event;
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

  it('recognizes a browser after an update', async () => {
    const agent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${browser!.version().split('.')[0]}.0.0.0 Safari/537.36`;
    const older = agent.replace(/Chrome\/\d+/, 'Chrome/120');
    await logInAs('dora', { userAgent: older });
    const { shadow } = await logInAs('dora', { userAgent: agent });
    expect(shadow).toContain(952);
  });

  it('distinguishes a phone from the browser', async () => {
    const { fired, shadow } = await comesBack('emil', { ...devices['Pixel 7'], timezoneId: 'Asia/Tokyo' });
    expect(fired).toContain(951);
    expect(shadow).not.toContain(952);
  });

  it('detects a device id that was copied without its key', async () => {
    const own = await newContext();
    const page = await own.newPage();
    await logIn(page, 'fay');
    const copied = await page.evaluate(() => Object.fromEntries(Object.entries(localStorage)));
    await own.close();
    const other = await newContext({ ...devices['Pixel 7'], timezoneId: 'Asia/Tokyo' });
    await other.addInitScript((items) => Object.assign(localStorage, items), copied);
    const thief = await other.newPage();
    const { event } = await logIn(thief, 'fay');
    expect(event.fired).toEqual(expect.arrayContaining([951, 1826]));
    await eventually('the bank closes the session', 20_000, async () => {
      await thief.reload();
      return !(await isLoggedIn(thief)) || undefined;
    });
    await other.close();
  });

  it('detects a replayed token, and the bank closes that session', async () => {
    const context = await newContext();
    const { token: stolen } = await logIn(await context.newPage(), 'sara');
    const thief = await fetch(`${pageUrl()}login`, {
      method: 'POST',
      body: new URLSearchParams({ user: 'tom', data: stolen }),
      redirect: 'manual',
    });
    const cookie = thief.headers.get('set-cookie')!.split(';')[0]!;
    expect((await nextLogin('tom')).fired).toContain(1818);
    await eventually('the bank closes the session', 20_000, async () => {
      const page = await fetch(`${pageUrl()}account`, { headers: { cookie } });
      return (await page.text()).includes('You are not logged in.') || undefined;
    });
    expect(said).toMatch(/tom .*rule 1818/);
    await context.close();
  });
});
