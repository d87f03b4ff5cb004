/** A browser, a bank's site and a workspace, for tests with real pages. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openChromium, slowTimers } from '../../../tools/testing/chromium.ts';
import { buildBundles, type Integrity } from '../publish/build.ts';
import type { CollectOptions } from '../src/collect-options.ts';
import type { Content } from '../src/content.ts';
import type { collect } from '../src/collect.ts';
import type { forget } from '../src/device/forget.ts';
import type { fillField } from '../src/fill-field.ts';
import { type BankPage, type BankSite, openBankSite } from './bank-site.ts';
import { newWorkspace, type Workspace } from './opened-token.ts';

declare global {
  /** The globals that the bundle's script adds to pages. */
  var ringfence: { collect: typeof collect; fillField: typeof fillField; forget: typeof forget };
}

/** Options that can be passed to a page as JSON. */
export type PlainOptions = Pick<CollectOptions, 'profile' | 'signals' | 'remember' | 'cookie'>;

export interface BankBrowser {
  readonly browser: Browser;
  readonly site: BankSite;
  readonly workspace: Workspace;
  readonly integrity: Integrity;
  /**
   * A fresh browser without state of other tests. The timers of its pages run slower, unless another `patience` is
   * given.
   */
  readonly newContext: (patience?: number) => Promise<BrowserContext>;
  /** Runs `collect` in that page and returns the content of its token. */
  readonly collectIn: (page: Page, options?: PlainOptions) => Promise<Content>;
  readonly close: () => Promise<void>;
}

/** The usual script element of a bank: it runs only the published bytes. */
export function scriptElement(integrity: Integrity, attributes = ''): string {
  const hash = integrity['ringfence-device.js'] ?? '';
  return `<script src="/ringfence-device.js" integrity="${hash}" crossorigin="anonymous" ${attributes}></script>`;
}

export type MakePages = (integrity: Integrity) => Readonly<Record<string, BankPage>>;

/** `undefined` if there is no Chromium. */
export async function openBankBrowser(
  makePages: MakePages,
  scripts: Readonly<Record<string, string>> = {},
): Promise<BankBrowser | undefined> {
  const browser = await openChromium();
  if (browser === undefined) return undefined;
  const dist = await mkdtemp(join(tmpdir(), 'ringfence-device-'));
  const integrity = await buildBundles(dist);
  const site = await openBankSite({ dist, integrity, pages: makePages(integrity), scripts });
  const workspace = await newWorkspace();
  return {
    browser,
    site,
    workspace,
    integrity,
    newContext: async (patience) => {
      const context = await browser.newContext({ proxy: site.proxy });
      // Playwright's own 30 seconds are too few on a machine that is four times slower for an hour.
      context.setDefaultTimeout(120_000);
      await slowTimers(context, patience);
      return context;
    },
    collectIn: async (page, options = {}) => {
      const { keys } = workspace;
      const token = await page.evaluate((given) => ringfence.collect(given), { keys, channelId: 2, ...options });
      return workspace.open(token);
    },
    close: async () => {
      await browser.close();
      site.close();
      await rm(dist, { recursive: true, force: true });
    },
  };
}
