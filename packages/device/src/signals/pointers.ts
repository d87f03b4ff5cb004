import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const kinds = ['any-pointer: fine', 'any-pointer: coarse', 'any-hover: hover'] as const;

export const about: About = {
  what: `The pointing devices: those of ${kinds.join(', ')} that apply.`,
  purpose: 'A desktop without a mouse is often a headless browser.',
  stability: 'visit',
  schema: { type: 'array', items: { type: 'string', enum: kinds }, maxItems: 3 },
  source: 'https://developer.mozilla.org/docs/Web/CSS/@media/any-pointer',
};

export function pointers(): Signal<readonly string[]> {
  return { value: kinds.filter((kind) => matchMedia(`(${kind})`).matches) };
}
