import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'The IANA time zone of the device.',
  purpose: 'Compared with the country of the IP address.',
  stability: 'setting',
  schema: { type: 'string', maxLength: 512 },
  source:
    'https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Intl/DateTimeFormat/resolvedOptions',
};

export function timezone(): Signal<string> {
  return ofType('string', new Intl.DateTimeFormat().resolvedOptions().timeZone);
}
