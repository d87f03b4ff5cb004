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

/** Password of every account of the stage. */
export const firstPassword = 'correct horse battery staple';

export interface Opened {
  readonly page: Page;
  readonly watch: Watch;
}

interface Person {
  readonly name: string;
  /** The id of a workspace. */
  readonly workspace: string;
  readonly role: string;
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
  /** Configuration of the service, for commands. */
  readonly configFile: string;
  /** The service log so far. */
  serviceLog(): string;
  open(): Promise<Opened>;
  /** A page of the first administrator, Mara, whose account it creates; works once. */
  openAsFirst(): Promise<Opened>;
  /** A page of a new account with this role in a workspace, logged in. */
  openAs(person: Person): Promise<Opened>;
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
  readonly configFile: string;
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
  return { service, configFile, firstLink, licenseKey: /licenseKeys: \["([^"]+)"\]/.exec(config)![1]! };
}

function stageOf(
  browser: Browser,
  { service, configFile, firstLink, licenseKey }: Installation,
): Omit<ConsoleStage, 'close'> {
  const origin = service.managementUrl;
  const open = (): Promise<Opened> => watchedPage(browser, origin);
  const call = async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const response = await fetch(`${origin}/management/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  };
  return {
    browser,
    origin,
    firstLink,
    eventsOrigin: service.url,
    licenseKey,
    adminToken,
    configFile,
    serviceLog: () => service.output(),
    open,
    openAsFirst: async () => {
      const opened = await open();
      await becomeFirst(opened.page, firstLink);
      return opened;
    },
    openAs: async ({ name, workspace, role }) => {
      const email = `${name.toLowerCase()}@bank.example`;
      const account = { email, name, roles: [{ workspace, roles: [role] }] };
      const { invitation } = await call<{ invitation: { path: string } }>('POST', '/accounts', account);
      const opened = await open();
      await acceptInvitation(opened.page, { link: `${origin}${invitation.path}`, email });
      return opened;
    },
    call,
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

/** Sets the password, and logs in. */
async function acceptInvitation(page: Page, of: { readonly link: string; readonly email: string }): Promise<void> {
  await page.goto(of.link);
  await page.getByLabel('Password').fill(firstPassword);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await page.getByLabel('E-mail address').fill(of.email);
  await page.getByLabel('Password').fill(firstPassword);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL('**/w/**');
}
