import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { inject } from 'vitest';
import { openChromium } from '../../tools/testing/chromium.ts';
import { eventually } from '../harness/eventually.ts';
import { freePort } from '../harness/free-port.ts';
import { adminToken } from '../harness/management.ts';
import { type Service, startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';
import { playedDemo } from './played-demo.ts';
import { watchedPage, type Watch } from './watched-page.ts';

const linkMsMax = 10_000;

/** Password of the first administrator. */
export const firstPassword = 'correct horse battery staple';

interface Opened {
  readonly page: Page;
  readonly watch: Watch;
}

/** A service that goes on after the demo, with a bank that executes every action, and a browser for its console. */
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
  call<Answer = void>(method: string, path: string, body?: object): Promise<Answer>;
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
    // Nothing but this machine can be reached.
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  ]);
  if (browser === undefined) return undefined;
  const closers: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    await browser.close();
    for (const closer of closers.toReversed()) await closer();
  };
  try {
    return { ...stageOf(browser, await openInstallation(closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Installation {
  readonly service: Service;
  readonly firstLink: string;
  readonly licenseKey: string;
}

/** Starts a service on a copy of the played demo. */
async function openInstallation(closers: (() => Promise<unknown>)[]): Promise<Installation> {
  const played = await playedDemo(inject('demoHome'));
  const home = await temporaryHome('console');
  closers.push(() => home.remove());
  const folder = join(home.path, 'demo');
  // With the owner of the database's files, which `cp` of Node would change.
  await promisify(execFile)('cp', ['-a', played, folder]);
  const receiver = await startWebhookReceiver();
  closers.push(() => receiver.close());
  const configFile = join(folder, 'ringfence.yaml');
  const config = await readFile(configFile, 'utf8');
  await writeFile(configFile, config.replace(/(webhook: \{ url: )"[^"]*"/, `$1"${receiver.url}"`));
  const [port, managementPort] = [await freePort(), await freePort()];
  const service = await startService({
    configFile,
    port,
    managementPort,
    env: { PORT: String(port), MANAGEMENT_PORT: String(managementPort) },
    outputLinesMax: Infinity,
  });
  closers.push(() => service.stop());
  // It is printed when the service is ready, which `/readyz` may tell a little earlier.
  const firstLink = await eventually(
    'the service prints the link of the first account',
    linkMsMax,
    () => /http:\S+\/console\/first#token=\S+/.exec(service.output())?.[0],
  );
  return { service, firstLink, licenseKey: /licenseKeys: \["([^"]+)"\]/.exec(config)![1]! };
}

function stageOf(browser: Browser, { service, firstLink, licenseKey }: Installation): Omit<ConsoleStage, 'close'> {
  const origin = service.managementUrl;
  return {
    browser,
    origin,
    firstLink,
    eventsOrigin: service.url,
    licenseKey,
    adminToken,
    serviceLog: () => service.output(),
    open: () => watchedPage(browser, origin),
    openAsFirst: async () => {
      const opened = await watchedPage(browser, origin);
      await becomeFirst(opened.page, firstLink);
      return opened;
    },
    call: async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
      const response = await fetch(`${origin}/management/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
      return (text === '' ? undefined : JSON.parse(text)) as Answer;
    },
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
