/** Every page in both languages, both themes and four widths: nothing is wider than the window, and axe finds nothing. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noChromium } from '../../tools/testing/chromium.ts';
import { eventually } from '../harness/eventually.ts';
import { type ConsoleStage, openConsoleStage } from './console-stage.ts';
import type { Watch } from './watched-page.ts';

const demo = '/console/w/demo-bank:production';
const widths = [1440, 1280, 1024, 768] as const;
/** Charts follow the width of the window in one of the next frames. */
const fitsMsMax = 5_000;

describe('every page', { timeout: 240_000 }, () => {
  let stage: ConsoleStage | undefined;
  let page: Page;
  let watch: Watch;
  let paths: readonly string[];

  beforeAll(async () => {
    stage = await openConsoleStage();
    if (stage === undefined) return;
    ({ page, watch } = await stage.openAsFirst());
    paths = [...fixed, ...(await pathsOfThings(page, stage.origin))];
  });
  beforeEach(({ skip }) => {
    if (stage === undefined) skip(noChromium);
  });
  afterAll(() => stage?.close());
  const tooWidePx = (): Promise<number> =>
    page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');

  // Each width is checked by axe once, and for overflow four times.
  it.each([
    ['en', 'light', 1440],
    ['es', 'dark', 1280],
    ['es', 'light', 1024],
    ['en', 'dark', 768],
  ] as const)('fits and is accessible: %s, %s, axe at %i pixels', async (language, theme, axeWidth) => {
    await page.evaluate(
      ([lang, name]) => {
        localStorage.setItem('ringfence.language', lang!);
        localStorage.setItem('ringfence.theme', name!);
      },
      [language, theme],
    );
    const wrong: string[] = [];
    for (const path of paths) {
      await page.goto(stage!.origin + path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await watch.settled();
      expect(await page.evaluate('document.documentElement.lang')).toMatch(new RegExp(`^${language}`));
      for (const width of widths) {
        await page.setViewportSize({ width, height: 900 });
        const isFitting = await eventually('the page fits', fitsMsMax, async () =>
          (await tooWidePx()) > 0 ? undefined : true,
        ).catch(() => false);
        if (!isFitting) wrong.push(`${path} at ${width}: ${await tooWidePx()} pixels too wide`);
      }
      await page.setViewportSize({ width: axeWidth, height: 900 });
      await watch.settled();
      wrong.push(...(await watch.accessibility()).map((violation) => `${path}: ${violation}`));
    }
    expect([...wrong, ...watch.errors, ...watch.strangers]).toEqual([]);
  });
});

const fixed = [
  '',
  '/alerts',
  '/alerts?state=closed',
  '/holds',
  '/events',
  '/events?by=condition&condition=order.amount%20%3E%20100',
  '/events/outcomes',
  '/search?q=demo',
  '/policy',
  ...['text', 'tests', 'models', 'health', 'versions'].map((tab) => `/policy?tab=${tab}`),
  '/lists',
  '/deliveries',
  '/integration',
  '/audit',
  '/settings',
].map((path) => demo + path);

/** Pages of single things, found by the links of the lists: an alert, an event, a client, an action and a list. */
async function pathsOfThings(page: Page, origin: string): Promise<readonly string[]> {
  const found: string[] = [];
  const follow = async (list: string, start: string): Promise<void> => {
    await page.goto(origin + demo + list);
    const link = page.locator(`main a[href*="${start}"]`).first();
    found.push((await link.getAttribute('href'))!);
  };
  await follow('/events?kind=operation', '/events/');
  await follow('/events?kind=operation', '/about/client/');
  await follow('/deliveries', '/deliveries/');
  await follow('/lists', '/lists/');
  await page.goto(`${origin}${demo}/alerts`);
  await page.getByRole('button', { name: /^Next alert/ }).click();
  await page.waitForURL(/alert=/);
  found.push(new URL(page.url()).pathname + new URL(page.url()).search);
  const client = found[1]!;
  return [...found, `${client}?tab=habits`, `${client}?tab=graph`];
}
