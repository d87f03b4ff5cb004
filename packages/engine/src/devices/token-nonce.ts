import type { EventRecord } from '../record.ts';

/** What makes a device token one of a kind; `undefined` where there is none, or it did not open. */
export function tokenNonce({ door }: Pick<EventRecord, 'door'>): string | undefined {
  const nonce = door.facts['device.nonce'];
  return typeof nonce === 'string' ? nonce : undefined;
}
