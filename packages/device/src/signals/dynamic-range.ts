import { firstMatch } from '../media-query.ts';
import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const values = ['high', 'standard'] as const;

export const about: About = {
  what: 'Whether the screen shows high dynamic range.',
  purpose: 'Distinguishes screens.',
  stability: 'device',
  schema: { type: 'string', enum: values },
  source: 'https://developer.mozilla.org/docs/Web/CSS/@media/dynamic-range',
};

export function dynamicRange(): Signal<string> {
  return firstMatch('dynamic-range', values);
}
