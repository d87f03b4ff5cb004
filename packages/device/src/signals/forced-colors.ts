import { firstMatch } from '../media-query.ts';
import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const values = ['active', 'none'] as const;

export const about: About = {
  what: 'Whether the system forces its own colours.',
  purpose: 'A setting that few change and most keep.',
  stability: 'setting',
  schema: { type: 'string', enum: values },
  source: 'https://developer.mozilla.org/docs/Web/CSS/@media/forced-colors',
};

export function forcedColors(): Signal<string> {
  return firstMatch('forced-colors', values);
}
