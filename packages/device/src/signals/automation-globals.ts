import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

export const about: About = {
  what: 'Global names in the page that automation tools leave there.',
  purpose: 'Identifies the tool that drives the browser.',
  stability: 'visit',
  schema: { type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: 64 },
  source:
    'https://github.com/SeleniumHQ/selenium, https://github.com/microsoft/playwright and others: the globals that they define',
};

/**
 * Playwright, Puppeteer, ChromeDriver, Selenium, Cypress, TestCafe, Nightmare, PhantomJS, CefSharp, Electron: each
 * defines its own globals in the pages that it drives.
 */
const traces =
  /^(?:__playwright|__pw|__puppeteer|puppeteer_|\$?cdc_|\$chrome_|__?selenium|__webdriver|__driver|__fxdriver|Cypress$|__cypress|%hammerhead|%testCafe|__nightmare|_?phantom$|callPhantom|CefSharp|electron$|domAutomation)/i;

export function automationGlobals(): Signal<readonly string[]> {
  const names = [window, document].flatMap((holder) => Object.getOwnPropertyNames(holder));
  return { value: names.filter((name) => traces.test(name)) };
}
