import type { DoorFacts, EpochMs, Event } from '@ringfence/contract';
import { isIP } from 'node:net';

const noFacts: DoorFacts['facts'] = {};
const notAnAddress: DoorFacts['facts'] = { 'ip.valid': false };
const version4: DoorFacts['facts'] = { 'ip.valid': true, 'ip.version': 4 };
const version6: DoorFacts['facts'] = { 'ip.valid': true, 'ip.version': 6 };

/**
 * What the door finds out about an event, so that replay needs no clock, no time zones, no data files and no old keys.
 *
 * @param device of the token that a login came with
 */
export function doorFactsOf(
  event: Event,
  statedAtMs: EpochMs | undefined,
  device: DoorFacts['facts'] = noFacts,
): DoorFacts {
  const facts = event.kind === 'operation' ? noFacts : { ...addressFacts(event.publicIp), ...device };
  return statedAtMs === undefined ? { facts } : { statedAtMs, facts };
}

/** An address with a port, a list of addresses or anything else is no address. */
function addressFacts(publicIp: string | undefined): DoorFacts['facts'] {
  if (publicIp === undefined) return noFacts;
  switch (isIP(publicIp)) {
    case 4:
      return version4;
    case 6:
      return version6;
    default:
      return notAnAddress;
  }
}
