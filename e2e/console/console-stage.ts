import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { openChromium } from '../../tools/testing/chromium.ts';
import { eventually } from '../harness/eventually.ts';
import { watchedPage, type Watch } from './watched-page.ts';

const root = resolve(import.meta.dirname, '../..');
/** The demo starts, plays its stories for half a minute, and then prints its addresses. */
const beginMsMax = 240_000;

/** Password of the first administrator. */
export const firstPassword = 'correct horse battery staple';

interface Opened {
  readonly page: Page;
  readonly watch: Watch;
}

/** The demo with its traffic, and a browser for its console. */
export interface ConsoleStage {
  readonly browser: Browser;
  /** Origin of the management listener, which serves the console. */
  readonly origin: string;
  /** Origin of the ingest listener. */
  readonly eventsOrigin: string;
  /** License key of the demo's bank. */
  readonly licenseKey: string;
  /** Link that creates the first administrator; works once. */
  readonly firstLink: string;
  readonly adminToken: string;
  /** The service log so far. */
  serviceLog(): string;
  open(): Promise<Opened>;
  /** A page of the first administrator, Mara, whose account it creates; works once. */
  openAsFirst(): Promise<Opened>;
  /** Calls the management API with the admin token. */
  call(method: string, path: string, body?: object): Promise<void>;
  close(): Promise<void>;
}

/** @returns `undefined` without a browser */
export async function openConsoleStage(): Promise<ConsoleStage | undefined> {
  const browser = await openChromium([
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ]);
  if (browser === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'ringfence-console-'));
  // Accessible to the unprivileged user that runs the database if started by root.
  chmodSync(folder, 0o711);
  const demo = startDemo(folder);
  try {
    await eventually(
      'the demo serves',
      beginMsMax,
      () => demo.said().includes('Ctrl+C stops everything.') || undefined,
    );
    return stageOf(browser, demo, folder);
  } catch (error) {
    await closeAll(browser, demo.process, folder);
    throw new Error(`the demo said:\n${demo.said()}`, { cause: error });
  }
}

interface Demo {
  readonly process: ChildProcess;
  said(): string;
}

function startDemo(folder: string): Demo {
  let said = '';
  const child = spawn(process.execPath, [join(root, 'apps/demo-bank/src/main.ts')], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  return { process: child, said: () => said };
}

function stageOf(browser: Browser, demo: Demo, folder: string): ConsoleStage {
  const [logFile = ''] = globSync('ringfence-demo-*/service.log', { cwd: folder });
  const serviceLog = (): string => readFileSync(join(folder, logFile), 'utf8');
  const log = serviceLog();
  const told = (text: string, pattern: RegExp): string => pattern.exec(text)?.[1] ?? '';
  const firstLink = told(demo.said(), /(http:\S+\/console\/first#token=\S+)/);
  const origin = new URL(firstLink).origin;
  const adminToken = told(demo.said(), /TOKEN=(\S+)/);
  return {
    browser,
    origin,
    firstLink,
    eventsOrigin: told(log, /Events +(http:\S+)/),
    licenseKey: told(demo.said(), /\bKEY=(\S+)/),
    adminToken,
    serviceLog,
    open: () => watchedPage(browser, origin),
    openAsFirst: async () => {
      const opened = await watchedPage(browser, origin);
      await becomeFirst(opened.page, firstLink);
      return opened;
    },
    call: async (method, path, body) => {
      const response = await fetch(`${origin}/management/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    },
    close: () => closeAll(browser, demo.process, folder),
  };
}

async function becomeFirst(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByLabel('Your name').fill('Mara');
  await page.getByLabel('E-mail address').fill('mara@bank.example');
  await page.getByLabel('Password').fill(firstPassword);
  await page.getByRole('button', { name: 'Create my account' }).click();
  await page.waitForURL('**/w/**');
}

async function closeAll(browser: Browser, demo: ChildProcess, folder: string): Promise<void> {
  await browser.close();
  demo.kill('SIGTERM');
  if (demo.exitCode === null) await once(demo, 'exit');
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
