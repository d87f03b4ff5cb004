import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

export const about: About = {
  what: 'Size of the screen and of its part available to windows, in CSS pixels.',
  purpose:
    'Distinguishes devices; compared with the model. A screen without space for bars and docks suggests a headless browser.',
  stability: 'system',
  schema: {
    type: 'object',
    properties: {
      width: { type: 'integer', minimum: 0 },
      height: { type: 'integer', minimum: 0 },
      availableWidth: { type: 'integer', minimum: 0 },
      availableHeight: { type: 'integer', minimum: 0 },
    },
    required: ['width', 'height', 'availableWidth', 'availableHeight'],
  },
  source: 'https://developer.mozilla.org/docs/Web/API/Screen',
};

export type ScreenSize = Readonly<Record<'width' | 'height' | 'availableWidth' | 'availableHeight', number>>;

export function screenSize(): Signal<ScreenSize> {
  const { width, height, availWidth, availHeight } = screen;
  return { value: { width, height, availableWidth: availWidth, availableHeight: availHeight } };
}
