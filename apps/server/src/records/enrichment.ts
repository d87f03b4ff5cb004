import type { Enrichment, EpochMs, Event } from '@ringfence/contract';
import { mismatchFacts, type NetworkData, networkFacts } from '@ringfence/intel';

const noFacts: Enrichment['facts'] = {};

/** The sources of an event's enrichment. */
export interface FactSources {
  readonly networks: NetworkData;
  /** Facts of the device token that a login carried. */
  readonly device?: Enrichment['facts'] | undefined;
  /** When the event happened, as far as it is known; omitted without a device. */
  readonly nowMs?: number;
}

/** Enriches an event at ingest, so that replay needs no clock, no time zones, no data files and no old keys. */
export function enrichmentOf(event: Event, statedAtMs: EpochMs | undefined, sources: FactSources): Enrichment {
  const facts = event.kind === 'operation' ? noFacts : entryFacts(event.publicIp, sources);
  return statedAtMs === undefined ? { facts } : { statedAtMs, facts };
}

function entryFacts(publicIp: string | undefined, sources: FactSources): Enrichment['facts'] {
  const { device, nowMs } = sources;
  const address = addressFacts(publicIp, sources);
  if (device === undefined) return address;
  const facts = { ...address, ...device };
  return nowMs === undefined ? facts : Object.assign(facts, mismatchFacts(facts, nowMs));
}

/** A logout without an address has no address facts. */
function addressFacts(publicIp: string | undefined, { networks }: FactSources): Enrichment['facts'] {
  return publicIp === undefined ? noFacts : networkFacts(publicIp, networks);
}
