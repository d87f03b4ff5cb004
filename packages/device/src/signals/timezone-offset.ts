import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'Minutes that the clock of the device is behind UTC (Berlin in winter: -60).',
  purpose: "Compared with the browser's time zone.",
  stability: 'visit',
  schema: { type: 'integer', minimum: -900, maximum: 900 },
  source: 'https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Date/getTimezoneOffset',
};

export function timezoneOffsetMin(): Signal<number> {
  return ofType('number', new Date().getTimezoneOffset());
}
