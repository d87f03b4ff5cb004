import type { About } from '../reference/about.ts';
import { ofType, type Signal } from '../signal.ts';

export const about: About = {
  what: 'Logical processors.',
  purpose: 'Distinguishes devices; one or two on a desktop suggest a virtual machine.',
  stability: 'device',
  schema: { type: 'integer', minimum: 1 },
  source: 'https://developer.mozilla.org/docs/Web/API/Navigator/hardwareConcurrency',
};

export function hardwareConcurrency(): Signal<number> {
  return ofType('number', navigator.hardwareConcurrency);
}
