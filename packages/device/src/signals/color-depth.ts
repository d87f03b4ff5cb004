import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'Bits per pixel of the screen.',
  purpose: 'Remote desktops and virtual machines often have fewer than 24.',
  stability: 'system',
  schema: { type: 'integer', minimum: 0 },
  source: 'https://developer.mozilla.org/docs/Web/API/Screen/colorDepth',
};

export function colorDepth(): Signal<number> {
  return ofType('number', screen.colorDepth);
}
