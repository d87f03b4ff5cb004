import { firstMatch } from '../media-query.ts';
import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const values = ['dark', 'light'] as const;

export const about: About = {
  what: 'Whether the person prefers dark or light pages.',
  purpose: 'Distinguishes devices a little.',
  stability: 'setting',
  schema: { type: 'string', enum: values },
  source: 'https://developer.mozilla.org/docs/Web/CSS/@media/prefers-color-scheme',
};

export function colorScheme(): Signal<string> {
  return firstMatch('prefers-color-scheme', values);
}
