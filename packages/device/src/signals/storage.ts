import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const names = ['localStorage', 'sessionStorage', 'indexedDB', 'caches'] as const;

export const about: About = {
  what: 'Which stores the page may use, "cookies" included.',
  purpose: 'Private windows, embedded views and hardened browsers deny some: this explains a missing device id.',
  stability: 'setting',
  schema: { type: 'array', items: { type: 'string', enum: [...names, 'cookies'] }, maxItems: 5 },
  source: 'https://storage.spec.whatwg.org/',
};

export function storage(): Signal<readonly string[]> {
  const open: string[] = names.filter(isOpen);
  if (navigator.cookieEnabled) open.push('cookies');
  return { value: open };
}

/** A denied store throws as soon as it is accessed. */
function isOpen(name: (typeof names)[number]): boolean {
  try {
    return window[name] !== undefined && window[name] !== null;
  } catch {
    return false;
  }
}
