import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'The vendor of the browser.',
  purpose: 'Fixed for each engine: a modified user agent often leaves it unchanged.',
  stability: 'browser',
  schema: { type: 'string', maxLength: 512 },
  source: 'https://developer.mozilla.org/docs/Web/API/Navigator/vendor',
};

export function vendor(): Signal<string> {
  return ofType('string', navigator.vendor);
}
