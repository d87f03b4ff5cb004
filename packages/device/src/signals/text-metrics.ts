import { newDrawing } from '../drawing.ts';
import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

const families = ['serif', 'sans-serif', 'monospace', 'cursive', 'fantasy', 'system-ui', 'math'] as const;

export const about: About = {
  what: `Width of a line in the browser's fonts for ${families.join(', ')}, in thousandths of a pixel.`,
  purpose: 'Distinguishes systems and default fonts that the person chose.',
  stability: 'system',
  schema: { type: 'array', items: { type: 'integer' }, maxItems: families.length },
  source: 'https://developer.mozilla.org/docs/Web/API/TextMetrics',
};

export function textMetrics(): Signal<readonly number[]> {
  const drawing = newDrawing(1, 1);
  if (drawing === undefined) return unsupported;
  const value = families.map((family) => {
    drawing.font = `31px ${family}`;
    return Math.round(drawing.measureText('Gjâ fluffy Ωж 漢 😀 1,234.50').width * 1_000);
  });
  return { value };
}
