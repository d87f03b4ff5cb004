import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

export const about: About = {
  what: 'How the browser formats dates: locale, calendar and digits.',
  purpose: 'Compared with the languages of the browser.',
  stability: 'setting',
  schema: {
    type: 'object',
    properties: {
      locale: { type: 'string', maxLength: 512 },
      calendar: { type: 'string', maxLength: 512 },
      digits: { type: 'string', maxLength: 512 },
    },
    required: ['locale', 'calendar', 'digits'],
  },
  source:
    'https://developer.mozilla.org/docs/Web/JavaScript/Reference/Global_Objects/Intl/DateTimeFormat/resolvedOptions',
};

export type Locale = Readonly<Record<'locale' | 'calendar' | 'digits', string>>;

export function locale(): Signal<Locale> {
  const { locale, calendar, numberingSystem } = new Intl.DateTimeFormat().resolvedOptions();
  return { value: { locale, calendar, digits: numberingSystem } };
}
