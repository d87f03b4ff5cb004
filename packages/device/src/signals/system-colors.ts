import { newDrawing } from '../drawing.ts';
import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

const names = ['Canvas', 'ButtonFace', 'Highlight', 'LinkText', 'AccentColor', 'Mark'] as const;

export const about: About = {
  what: `The system's colours ${names.join(', ')}; "" for one that the browser does not support.`,
  purpose: 'Distinguishes systems and themes.',
  stability: 'setting',
  schema: { type: 'array', items: { type: 'string', maxLength: 512 }, maxItems: names.length },
  source: 'https://www.w3.org/TR/css-color-4/#css-system-colors',
};

export function systemColors(): Signal<readonly string[]> {
  const drawing = newDrawing(1, 1);
  if (drawing === undefined) return unsupported;
  const value = names.map((name) => {
    // An invalid colour leaves the previous one unchanged, so it is read twice.
    const [first, second] = ['#010203', '#030201'].map((before) => {
      drawing.fillStyle = before;
      drawing.fillStyle = name;
      return drawing.fillStyle;
    });
    return first === second ? (first ?? '') : '';
  });
  return { value };
}
