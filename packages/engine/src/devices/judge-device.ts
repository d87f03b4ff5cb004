import { sessionOf } from '@ringfence/contract';
import type { ClientEntity } from '../clients/client-entity.ts';
import { carriedPaths } from '../facts/carried-paths.ts';
import type { EventRecord, LabelRecord } from '../record.ts';
import type { KnownDevice } from './known-device.ts';

const idPlace = carriedPaths.indexOf('device.id');

/** The device as its label leaves it: legitimate, it is trusted from now on; fraud, it no longer is. */
export function judged(device: KnownDevice, { label, logTimeMs }: LabelRecord): KnownDevice {
  return { ...device, trustedAtMs: label === 'legitimate' ? logTimeMs : undefined };
}

/** The device that an event came from; of an operation, as long as the session that it was in is remembered. */
export function deviceBehind(client: ClientEntity, { event, door, offset }: EventRecord): KnownDevice | undefined {
  if (event.kind !== 'operation') {
    const { 'device.id': id, 'device.key': key } = door.facts;
    return id === undefined ? undefined : client.devices.find((known) => known.provedId === id && known.key === key);
  }
  const session = client.sessions.find(event.channelId, sessionOf(event) ?? '');
  const id = session !== undefined && session.openedOffset < offset ? session.carried?.[idPlace] : undefined;
  return client.devices.find((known) => known.id === id);
}
