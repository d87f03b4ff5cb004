import type { Enrichment, Event } from '@ringfence/contract';

/** The content of an event, decrypted. */
export interface IndexedEvent {
  readonly event: Event;
  readonly facts: Enrichment['facts'];
  /** An operation's own time. */
  readonly statedAtMs?: number | undefined;
}
