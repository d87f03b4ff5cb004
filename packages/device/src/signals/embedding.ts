import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

export const about: About = {
  what: 'Origins of the pages around this one, the nearest first; "" for one that the browser does not reveal.',
  purpose: 'A login page inside a foreign page is an overlay or a copy. An empty list: the page is not embedded.',
  stability: 'visit',
  schema: { type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: 64 },
  source: 'https://html.spec.whatwg.org/multipage/nav-history-apis.html#dom-location-ancestororigins',
};

export function embedding(): Signal<readonly string[]> {
  if (window === window.top) return { value: [] };
  return { value: Array.from((location.ancestorOrigins as DOMStringList | undefined) ?? ['']) };
}
