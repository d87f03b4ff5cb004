import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'Device pixels per CSS pixel.',
  purpose: 'Distinguishes screens and zoom levels.',
  stability: 'setting',
  schema: { type: 'number', minimum: 0 },
  source: 'https://developer.mozilla.org/docs/Web/API/Window/devicePixelRatio',
};

export function pixelRatio(): Signal<number> {
  return ofType('number', devicePixelRatio);
}
