import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import type { Browser, ConsoleMessage, Page, Request } from 'playwright-core';
import { browserPatienceMs } from '../harness/browser-patience.ts';
import { eventually } from '../harness/eventually.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Folder of the guide's pictures; they are taken only with `RINGFENCE_PICTURES=1`. */
const pictures =
  process.env['RINGFENCE_PICTURES'] === undefined ? undefined : resolve(import.meta.dirname, '../../docs/pictures');

/** Many times what a page needs whose queries read a long history. */
const settledMsMax = 60_000;
/** A busy page becomes idle within this time, or is not settled. */
const idleMsMax = 500;

/** Problems of a page that are not visible on it. */
export interface Watch {
  /** Requests to other origins: there must be none. */
  readonly strangers: readonly string[];
  /** Script errors and violations of the content security policy. */
  readonly errors: readonly string[];
  /** Resolves when every request is answered and rendered. The live stream stays open. */
  settled(): Promise<void>;
  /** Violations of WCAG 2.2 AA that axe finds on the current page. */
  accessibility(): Promise<readonly string[]>;
  picture(name: string): Promise<void>;
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/**
 * Refusals that a page handles and the browser logs all the same: of the session before a login, and of a backtest of the
 * draft or of a request, or a training, which waits its turn while another one still ends.
 */
function isExpected(message: ConsoleMessage): boolean {
  const text = message.text();
  return text.includes('401') || (text.includes('409') && /\/(backtests?|trainings)$/.test(message.location().url));
}

/** A page that must request nothing from another origin than this one. */
export async function watchedPage(
  browser: Browser,
  origin: string,
): Promise<{ readonly page: Page; readonly watch: Watch }> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(browserPatienceMs);
  const page = await context.newPage();
  const strangers: string[] = [];
  const errors: string[] = [];
  // A route for every request would do without the browser's cache: each page would load and compile all scripts again.
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) strangers.push(request.url());
  });
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message)) errors.push(message.text());
  });
  const unanswered = new Set<Request>();
  page.on('request', (request) => request.resourceType() !== 'eventsource' && unanswered.add(request));
  page.on('requestfinished', (request) => unanswered.delete(request));
  page.on('requestfailed', (request) => unanswered.delete(request));
  const watch: Watch = {
    strangers,
    errors,
    settled: () =>
      eventually('the page is settled', settledMsMax, async () => {
        const isIdle = async (): Promise<boolean> =>
          unanswered.size === 0 && (await page.locator('.animate-pulse').count()) === 0;
        // A response may cause the next request.
        if (!(await isIdle())) return undefined;
        // A page that renders nothing may get no idle time for minutes.
        await page.evaluate(`new Promise((resolve) => requestIdleCallback(resolve, { timeout: ${idleMsMax} }))`);
        return (await isIdle()) ? true : undefined;
      }).then(() => undefined),
    accessibility: async () => {
      // Through the debugger, to which the content security policy does not apply.
      await page.evaluate(axeSource);
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
      const options = JSON.stringify({ runOnly: tags, preload: false });
      const { violations } = await page.evaluate<AxeResult>(`axe.run(document, ${options})`);
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
    },
    picture: async (name) => {
      if (pictures !== undefined) await page.screenshot({ path: join(pictures, `console-${name}.png`) });
    },
  };
  return { page, watch };
}
