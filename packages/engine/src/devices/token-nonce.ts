import type { EventRecord } from '../record.ts';

/** The nonce of a device token; `undefined` if there is no token, or it could not be opened. */
export function tokenNonce({ enrichment }: Pick<EventRecord, 'enrichment'>): string | undefined {
  const nonce = enrichment.facts['device.nonce'];
  return typeof nonce === 'string' ? nonce : undefined;
}
