import type { About } from '../reference/about.ts';
import { type Signal, unsupported } from '../signal.ts';

const declarations = [
  'accent-color:red',
  'anchor-name:--a',
  'animation-timeline:scroll()',
  'corner-shape:squircle',
  'field-sizing:content',
  'font-palette:dark',
  'hanging-punctuation:first',
  'interpolate-size:allow-keywords',
  'margin-trim:block',
  'masonry-auto-flow:pack',
  'overflow-anchor:auto',
  'reading-flow:normal',
  'scrollbar-width:thin',
  'text-box:trim-both cap alphabetic',
  'view-transition-name:a',
  '-moz-context-properties:fill',
  '-webkit-app-region:drag',
  '-webkit-touch-callout:none',
] as const;

export const about: About = {
  what: `Which CSS the browser supports, 1 or 0 each, in this order: ${declarations.join(', ')}.`,
  purpose: 'Distinguishes engines and their versions independently of the user agent.',
  stability: 'browser',
  schema: { type: 'string', pattern: `^[01]{${declarations.length}}$` },
  source: 'https://developer.mozilla.org/docs/Web/API/CSS/supports_static',
};

export function cssFeatures(): Signal<string> {
  if (typeof CSS === 'undefined') return unsupported;
  return { value: declarations.map((declaration) => (CSS.supports(declaration) ? '1' : '0')).join('') };
}
