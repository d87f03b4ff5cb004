import { firstMatch } from '../media-query.ts';
import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const values = ['reduce', 'no-preference'] as const;

export const about: About = {
  what: 'Whether the person prefers less motion.',
  purpose: 'A setting that few change and most keep.',
  stability: 'setting',
  schema: { type: 'string', enum: values },
  source: 'https://developer.mozilla.org/docs/Web/CSS/@media/prefers-reduced-motion',
};

export function reducedMotion(): Signal<string> {
  return firstMatch('prefers-reduced-motion', values);
}
