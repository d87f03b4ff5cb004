import type { About } from '../reference/about.ts';
import { ofType, type Signal, unsupported } from '../signal.ts';

export const about: About = {
  what: 'How much the page could store, in whole MiB.',
  purpose: 'Depends on the disk; private windows get far less.',
  stability: 'visit',
  schema: { type: 'integer', minimum: 0 },
  source: 'https://developer.mozilla.org/docs/Web/API/StorageManager/estimate',
};

export async function storageQuotaMib(): Promise<Signal<number>> {
  const estimate = await navigator.storage?.estimate();
  if (estimate?.quota === undefined) return unsupported;
  return ofType('number', Math.floor(estimate.quota / 2 ** 20));
}
