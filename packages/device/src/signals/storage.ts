import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const names = ['localStorage', 'sessionStorage', 'indexedDB', 'caches'] as const;

export const about: About = {
  what: 'Where the page may keep something, "cookies" included.',
  purpose:
    'Private windows, embedded views and hardened browsers deny some of it: then a missing device id is no surprise.',
  stability: 'setting',
  schema: { type: 'array', items: { type: 'string', enum: [...names, 'cookies'] }, maxItems: 5 },
  source: 'https://storage.spec.whatwg.org/',
};

export function storage(): Signal<readonly string[]> {
  const open: string[] = names.filter(isOpen);
  if (navigator.cookieEnabled) open.push('cookies');
  return { value: open };
}

/** A denied storage throws when it is only looked at. */
function isOpen(name: (typeof names)[number]): boolean {
  try {
    return window[name] !== undefined && window[name] !== null;
  } catch {
    return false;
  }
}
