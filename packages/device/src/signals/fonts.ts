import { newDrawing } from '../drawing.ts';
import { nextTask } from '../next-task.ts';
import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

/** Fonts that come with a system, a version of it, or a program, and so distinguish these. */
const candidates = [
  // Windows, by the version that introduced them
  'Segoe UI',
  'Calibri',
  'Consolas',
  'Gabriola',
  'Sitka Text',
  'Bahnschrift',
  'Ink Free',
  'Segoe Fluent Icons',
  'Microsoft YaHei',
  'Yu Gothic',
  'Nirmala UI',
  // macOS and iOS
  'Helvetica Neue',
  'Menlo',
  'Avenir Next',
  'Optima',
  'Hoefler Text',
  'Galvji',
  'PingFang SC',
  'Hiragino Sans',
  // Linux and Android
  'DejaVu Sans',
  'Liberation Sans',
  'Noto Sans',
  'Noto Sans CJK SC',
  'Ubuntu',
  'Cantarell',
  'Adwaita Sans',
  'Roboto',
  'Droid Sans',
  // Office and design programs
  'Aptos',
  'Garamond',
  'Century Gothic',
  'Gill Sans MT',
  'Rockwell',
  'Myriad Pro',
  'Minion Pro',
  'Source Sans Pro',
  'Fira Code',
  'JetBrains Mono',
  'Open Sans',
  'Lato',
] as const;

export const about: About = {
  what: `Which of ${candidates.length} fonts are installed, found by measuring text off the page.`,
  purpose: 'Distinguishes systems and installed programs; compared with the platform.',
  stability: 'system',
  schema: { type: 'array', items: { type: 'string', enum: candidates }, maxItems: candidates.length },
  source: 'https://developer.mozilla.org/docs/Web/API/CanvasRenderingContext2D/measureText',
};

/** Wide and narrow letters: two fonts rarely give them the same width. */
const sample = 'mWil@Qgy0&';
/** Fonts to look up before the browser may paint: the first lookup of a font can cost a millisecond. */
const atAStretch = 8;

export async function fonts(): Promise<Signal<readonly string[]>> {
  const drawing = newDrawing(1, 1);
  if (drawing === undefined) return unsupported;
  const width = (family: string): number => {
    drawing.font = `64px ${family}`;
    return drawing.measureText(sample).width;
  };
  // Against two fallbacks, because a font may be the fallback itself.
  const fallbacks = ['monospace', 'serif'].map((family) => [family, width(family)] as const);
  const installed: string[] = [];
  for (const [index, font] of candidates.entries()) {
    if (index % atAStretch === 0) await nextTask();
    if (fallbacks.some(([family, plain]) => width(`"${font}",${family}`) !== plain)) installed.push(font);
  }
  return { value: installed };
}
