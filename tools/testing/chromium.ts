import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

/** Where Debian, Ubuntu and Google's own package put it. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Why a test that needs a browser is skipped on this machine. */
export const noChromium = `no Chromium: install it (apt-get install chromium) or name one in CHROMIUM; looked at ${places.join(', ')}`;

/**
 * The machine's Chromium, without a window. `undefined` where there is none; on a build server that is an error, because
 * tests that are always skipped test nothing.
 */
export async function openChromium(args: readonly string[] = []): Promise<Browser | undefined> {
  const executablePath = process.env['CHROMIUM'] ?? places.find((place) => existsSync(place));
  if (executablePath === undefined) {
    if (process.env['CI'] !== undefined) throw new Error(noChromium);
    return undefined;
  }
  // Chromium's own sandbox refuses to run as root.
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...asRoot, ...args] });
}

/** Limits of a page that its browser can't miss for being busy, short enough that a test sees them come. */
const patience = 20;

/** Timers of these pages run slower, so that what the device SDK collects does not depend on how busy the machine is. */
export async function slowTimers(pages: BrowserContext | Page, times = patience): Promise<void> {
  await pages.addInitScript((factor) => {
    const plain = setTimeout;
    // The page's own function, with one argument changed: nothing that a signal looks at.
    Object.assign(globalThis, { setTimeout: (run: () => void, ms = 0) => plain(run, ms * factor) });
  }, times);
}
