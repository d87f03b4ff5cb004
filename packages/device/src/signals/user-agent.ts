import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'The user agent text.',
  purpose: 'Browser and system as reported by the browser; compared with client hints and the engine.',
  stability: 'browser',
  schema: { type: 'string', maxLength: 512 },
  source: 'https://developer.mozilla.org/docs/Web/API/Navigator/userAgent',
};

export function userAgent(): Signal<string> {
  return ofType('string', navigator.userAgent);
}
