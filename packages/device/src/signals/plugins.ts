import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

export const about: About = {
  what: 'Names of the plugins. Today: the built-in PDF viewers, or none.',
  purpose: 'A desktop browser without any is often headless.',
  stability: 'browser',
  schema: { type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: 64 },
  source: 'https://html.spec.whatwg.org/multipage/system-state.html#pdf-viewing-support',
};

export function plugins(): Signal<readonly string[]> {
  const { plugins } = navigator;
  return plugins === undefined ? unsupported : { value: Array.from(plugins, ({ name }) => name) };
}
