import type { DoorFacts, EpochMs, Event } from '@ringfence/contract';
import { type NetworkData, networkFacts } from '@ringfence/intel';

const noFacts: DoorFacts['facts'] = {};

/** What is looked into for facts. */
export interface FactSources {
  readonly networks: NetworkData;
  /** Of the token that a login came with. */
  readonly device?: DoorFacts['facts'] | undefined;
}

/** What the door finds out about an event, so that replay needs no clock, no time zones, no data files and no old keys. */
export function doorFactsOf(event: Event, statedAtMs: EpochMs | undefined, sources: FactSources): DoorFacts {
  const facts = event.kind === 'operation' ? noFacts : { ...addressFacts(event.publicIp, sources), ...sources.device };
  return statedAtMs === undefined ? { facts } : { statedAtMs, facts };
}

/** A logout without an address has no fact of one. */
function addressFacts(publicIp: string | undefined, { networks }: FactSources): DoorFacts['facts'] {
  return publicIp === undefined ? noFacts : networkFacts(publicIp, networks);
}
