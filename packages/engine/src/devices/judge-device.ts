import { sessionOf } from '@ringfence/contract';
import type { ClientEntity } from '../clients/client-entity.ts';
import { carriedDevice } from '../sessions/carried-device.ts';
import type { EventRecord, Label } from '../record.ts';
import type { KnownDevice } from './known-device.ts';

/**
 * The device after a label of its event: `legitimate` makes it trusted, `fraud` ends its trust. So does `none`, because
 * the trust may come from the label that is taken back.
 */
export function judged(
  device: KnownDevice,
  { label, logTimeMs }: { readonly label: Label | 'none'; readonly logTimeMs: number },
): KnownDevice {
  return { ...device, trustedAtMs: label === 'legitimate' ? logTimeMs : undefined };
}

/**
 * The device that an event came from: the device of its session, unless a later login has joined that session. For a
 * login or logout it is otherwise the device that its own token proved.
 */
export function deviceBehind(
  client: ClientEntity,
  { event, enrichment, offset }: EventRecord,
): KnownDevice | undefined {
  const session = client.sessions.find(event.channelId, sessionOf(event) ?? '');
  const since = session?.loginOffset ?? Infinity;
  if (event.kind === 'operation' || since === offset) {
    const id = since <= offset ? carriedDevice(session) : undefined;
    return client.devices.find((known) => known.id === id);
  }
  const { 'device.id': id, 'device.key': key } = enrichment.facts;
  return id === undefined ? undefined : client.devices.find((known) => known.provedId === id && known.key === key);
}
