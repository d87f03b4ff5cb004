import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { patience } from './patience.ts';

/** The paths of the packages of Debian, Ubuntu and Google. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Why a test that needs a browser is skipped on this machine. */
export const noChromium = `no Chromium: install it (apt-get install chromium) or name one in CHROMIUM; looked at ${places.join(', ')}`;

/**
 * The machine's Chromium, headless. `undefined` if it is not installed; on a build server that is an error, because
 * tests that are always skipped test nothing. Its pages wait as long as every other test.
 */
export async function openChromium(args: readonly string[] = []): Promise<Browser | undefined> {
  const executablePath = process.env['CHROMIUM'] ?? places.find((place) => existsSync(place));
  if (executablePath === undefined) {
    if (process.env['CI'] !== undefined) throw new Error(noChromium);
    return undefined;
  }
  // Chromium's own sandbox refuses to run as root.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium.launch({ executablePath, args: [...asRoot, ...args] });
  browser.on('context', (context) => context.setDefaultTimeout(patience.timeout));
  return browser;
}

/** Time limits of a page, long enough for a busy browser and short enough for a test. */
const timesSlower = 20;

/** Timers of these pages run slower, so that the signals of the device SDK do not depend on the machine's load. */
export async function slowTimers(pages: BrowserContext | Page, times = timesSlower): Promise<void> {
  await pages.addInitScript((factor) => {
    const plain = setTimeout;
    // The page's own function with one changed argument, which no signal detects.
    Object.assign(globalThis, { setTimeout: (run: () => void, ms = 0) => plain(run, ms * factor) });
  }, times);
}
