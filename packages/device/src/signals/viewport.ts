import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

export const about: About = {
  what: 'Size of the page and of the window around it, in CSS pixels.',
  purpose: 'A window that is no larger than its page, or has no size, is not used by a person.',
  stability: 'visit',
  schema: {
    type: 'object',
    properties: {
      width: { type: 'integer', minimum: 0 },
      height: { type: 'integer', minimum: 0 },
      outerWidth: { type: 'integer', minimum: 0 },
      outerHeight: { type: 'integer', minimum: 0 },
    },
    required: ['width', 'height', 'outerWidth', 'outerHeight'],
  },
  source: 'https://developer.mozilla.org/docs/Web/API/Window/outerWidth',
};

export type Viewport = Readonly<Record<'width' | 'height' | 'outerWidth' | 'outerHeight', number>>;

export function viewport(): Signal<Viewport> {
  return { value: { width: innerWidth, height: innerHeight, outerWidth, outerHeight } };
}
