import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'Whether the browser reports that a program drives it.',
  purpose: 'True under WebDriver and most automation tools, unless they hide.',
  stability: 'visit',
  schema: { type: 'boolean' },
  source: 'https://www.w3.org/TR/webdriver2/#interface',
};

export function webdriver(): Signal<boolean> {
  return ofType('boolean', navigator.webdriver);
}
