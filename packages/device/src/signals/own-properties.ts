import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const holders = ['navigator', 'screen', 'performance', 'history'] as const;

export const about: About = {
  what: `Own members of ${holders.join(', ')}. A genuine browser has them on the prototypes.`,
  purpose: 'Extensions and tools that imitate another browser add them.',
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
