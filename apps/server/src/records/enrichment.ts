import type { DoorFacts, EpochMs, Event } from '@ringfence/contract';
import { mismatchFacts, type NetworkData, networkFacts } from '@ringfence/intel';

const noFacts: DoorFacts['facts'] = {};

/** What is looked into for facts. */
export interface FactSources {
  readonly networks: NetworkData;
  /** Of the token that a login came with. */
  readonly device?: DoorFacts['facts'] | undefined;
  /** When it came; left out where there is no device. */
  readonly nowMs?: number;
}

/** What the door finds out about an event, so that replay needs no clock, no time zones, no data files and no old keys. */
export function doorFactsOf(event: Event, statedAtMs: EpochMs | undefined, sources: FactSources): DoorFacts {
  const facts = event.kind === 'operation' ? noFacts : entryFacts(event.publicIp, sources);
  return statedAtMs === undefined ? { facts } : { statedAtMs, facts };
}

function entryFacts(publicIp: string | undefined, sources: FactSources): DoorFacts['facts'] {
  const { device, nowMs } = sources;
  const address = addressFacts(publicIp, sources);
  if (device === undefined) return address;
  const facts = { ...address, ...device };
  return nowMs === undefined ? facts : Object.assign(facts, mismatchFacts(facts, nowMs));
}

/** A logout without an address has no fact of one. */
function addressFacts(publicIp: string | undefined, { networks }: FactSources): DoorFacts['facts'] {
  return publicIp === undefined ? noFacts : networkFacts(publicIp, networks);
}
