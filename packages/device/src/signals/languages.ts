import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

export const about: About = {
  what: 'Languages that the person reads, the preferred one first.',
  purpose: "Compared with the country of the IP address and with the client's earlier values.",
  stability: 'setting',
  schema: { type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: 64 },
  source: 'https://developer.mozilla.org/docs/Web/API/Navigator/languages',
};

export function languages(): Signal<readonly string[]> {
  const { languages } = navigator;
  return languages === undefined ? unsupported : { value: languages };
}
