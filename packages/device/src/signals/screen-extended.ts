import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'Whether the desktop spans several screens.',
  purpose: 'Desktops of offices and call centres often have several; phones do not.',
  stability: 'visit',
  schema: { type: 'boolean' },
  source: 'https://developer.mozilla.org/docs/Web/API/Screen/isExtended',
};

/** Chromium only. */
interface WithExtension {
  readonly isExtended?: unknown;
}

export function screenExtended(): Signal<boolean> {
  return ofType('boolean', (screen as WithExtension).isExtended);
}
