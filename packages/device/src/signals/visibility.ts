import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

export const about: About = {
  what: 'Whether the page is visible, and whether it has the focus.',
  purpose: 'A login on an invisible page was not typed by a person.',
  stability: 'visit',
  schema: {
    type: 'object',
    properties: { visible: { type: 'boolean' }, focused: { type: 'boolean' } },
    required: ['visible', 'focused'],
  },
  source: 'https://html.spec.whatwg.org/multipage/interaction.html#page-visibility',
};

export function visibility(): Signal<{ readonly visible: boolean; readonly focused: boolean }> {
  return { value: { visible: document.visibilityState === 'visible', focused: document.hasFocus() } };
}
