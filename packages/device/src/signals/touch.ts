import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

export const about: About = {
  what: 'How many touch points the screen supports, and whether pages get touch events.',
  purpose: 'A phone without touch is an emulator or a changed user agent.',
  stability: 'device',
  schema: {
    type: 'object',
    properties: { points: { type: 'integer', minimum: 0 }, events: { type: 'boolean' } },
    required: ['points', 'events'],
  },
  source: 'https://www.w3.org/TR/pointerevents/#extensions-to-the-navigator-interface',
};

export function touch(): Signal<{ readonly points: number; readonly events: boolean }> {
  return { value: { points: navigator.maxTouchPoints, events: 'ontouchstart' in window } };
}
