import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'Memory in GiB, rounded and capped by the browser.',
  purpose: 'Distinguishes classes of devices.',
  stability: 'device',
  schema: { type: 'number', minimum: 0 },
  source: 'https://developer.mozilla.org/docs/Web/API/Navigator/deviceMemory',
};

/** Chromium only. */
interface WithMemory {
  readonly deviceMemory?: unknown;
}

export function deviceMemoryGib(): Signal<number> {
  return ofType('number', (navigator as WithMemory).deviceMemory);
}
