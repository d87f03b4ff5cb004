import { digest } from '../digest.ts';
import { newDrawing } from '../drawing.ts';
import type { About } from '../reference/about.ts';
import { blocked, type Signal, unsupported } from '../signal.ts';

export const about: About = {
  what: 'Digest of a small picture with text, curves and blended colours, drawn off the page.',
  purpose:
    'Distinguishes combinations of browser, fonts and graphics driver. `blocked` if two readings differ: the browser adds noise.',
  stability: 'system',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{22}$' },
  source: 'https://hovav.net/ucsd/papers/ms12.html',
};

export async function canvas(): Promise<Signal<string>> {
  const drawing = newDrawing(240, 64);
  if (drawing === undefined) return unsupported;
  draw(drawing);
  const picture = drawing.canvas.toDataURL();
  if (picture !== drawing.canvas.toDataURL()) return blocked;
  return { value: await digest(picture) };
}

/** Elements that renderers draw differently: hinting of letters, emoji, edges of curves, gradients, blending. */
function draw(drawing: CanvasRenderingContext2D): void {
  const gradient = drawing.createLinearGradient(0, 0, 240, 64);
  gradient.addColorStop(0, '#0b3d91');
  gradient.addColorStop(0.55, 'rgba(250, 180, 40, 0.7)');
  gradient.addColorStop(1, '#7a1f3d');
  drawing.fillStyle = gradient;
  drawing.fillRect(3.5, 2.25, 180.3, 40.7);

  drawing.globalCompositeOperation = 'multiply';
  drawing.fillStyle = '#3bd4a0';
  drawing.beginPath();
  drawing.ellipse(170, 34, 42.5, 19.25, 0.4, 0, 5.1);
  drawing.bezierCurveTo(120, 60, 220, 8, 236, 61);
  drawing.fill('evenodd');

  drawing.globalCompositeOperation = 'source-over';
  drawing.fillStyle = '#14171a';
  drawing.font = 'italic 17.3px serif';
  drawing.fillText('Añb gλ½ fiW 7.40 €', 8, 23);
  drawing.font = 'bold 15px sans-serif';
  drawing.strokeStyle = '#ffffff';
  drawing.strokeText('Žq&@ 🏦🔑', 60.5, 52);
}
