import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'The platform name of the browser.',
  purpose: 'A modified user agent often leaves it unchanged.',
  stability: 'system',
  schema: { type: 'string', maxLength: 512 },
  source: 'https://developer.mozilla.org/docs/Web/API/Navigator/platform',
};

export function platform(): Signal<string> {
  return ofType('string', navigator.platform);
}
