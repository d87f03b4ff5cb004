import { inFreshRealm } from '../fresh-realm.ts';
import type { About } from '../reference/about.ts';
import { differences, scopeTraits } from '../scope-traits.ts';
import { type Signal, unsupported } from '../signal.ts';

export const about: About = {
  what: 'Properties of the browser that differ between the page and an empty frame.',
  purpose: 'Tools that imitate another browser often change only the page.',
  stability: 'visit',
  schema: { type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: 64 },
  source: 'https://html.spec.whatwg.org/multipage/system-state.html#the-navigator-object',
};

export function frameMismatch(): Signal<readonly string[]> {
  const value = inFreshRealm((realm) => differences(scopeTraits(window), scopeTraits(realm)));
  return value === undefined ? unsupported : { value };
}
