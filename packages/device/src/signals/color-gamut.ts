import { firstMatch } from '../media-query.ts';
import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

const values = ['rec2020', 'p3', 'srgb'] as const;

export const about: About = {
  what: 'The widest range of colours that the screen shows.',
  purpose: 'Distinguishes screens; compared with the model.',
  stability: 'device',
  schema: { type: 'string', enum: values },
  source: 'https://developer.mozilla.org/docs/Web/CSS/@media/color-gamut',
};

export function colorGamut(): Signal<string> {
  return firstMatch('color-gamut', values);
}
