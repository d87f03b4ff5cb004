import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const holders = ['navigator', 'screen', 'performance', 'history'] as const;

export const about: About = {
  what: `Members that somebody put onto ${holders.join(', ')} themselves. The browser keeps them on their prototypes.`,
  purpose: 'Extensions and tools that pretend to be another browser do this.',
  stability: 'visit',
  schema: { type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: 64 },
  source: 'https://webidl.spec.whatwg.org/#es-attributes',
};

export function ownProperties(): Signal<readonly string[]> {
  const value = holders.flatMap((holder) =>
    Object.getOwnPropertyNames(window[holder]).map((name) => `${holder}.${name}`),
  );
  return { value };
}
