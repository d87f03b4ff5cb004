import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'The orientation of the screen.',
  purpose: 'Phones turn; a phone that is always landscape-primary is often an emulator.',
  stability: 'visit',
  schema: { type: 'string', maxLength: 512 },
  source: 'https://developer.mozilla.org/docs/Web/API/ScreenOrientation/type',
};

export function orientation(): Signal<string> {
  return ofType('string', screen.orientation?.type);
}
