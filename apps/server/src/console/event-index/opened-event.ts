import type { DoorFacts, Event } from '@ringfence/contract';

/** The content of an event, decrypted. */
export interface Said {
  readonly event: Event;
  readonly facts: DoorFacts['facts'];
  /** An operation's own time. */
  readonly statedAtMs?: number | undefined;
}
