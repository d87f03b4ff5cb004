import { firstMatch } from '../media-query.ts';
import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const values = ['more', 'less', 'custom', 'no-preference'] as const;

export const about: About = {
  what: 'The contrast that the person prefers.',
  purpose: 'A setting that few change and most keep.',
  stability: 'setting',
  schema: { type: 'string', enum: values },
  source: 'https://developer.mozilla.org/docs/Web/CSS/@media/prefers-contrast',
};

export function contrast(): Signal<string> {
  return firstMatch('prefers-contrast', values);
}
