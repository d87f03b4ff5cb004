import type { DoorFacts, Event } from '@ringfence/contract';

/** What an event says, opened. */
export interface Said {
  readonly event: Event;
  readonly facts: DoorFacts['facts'];
  /** An operation's own time. */
  readonly statedAtMs?: number | undefined;
}
