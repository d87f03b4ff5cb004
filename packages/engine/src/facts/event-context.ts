import type { Event } from '@ringfence/contract';
import type { ClientEntity } from '../clients/client-entity.ts';
import type { ChannelSettings, EventRecord } from '../record.ts';
import type { SessionView } from '../sessions/session-view.ts';
import type { LoginView } from './login-view.ts';

/** An event as it arrived, with what can only be known at its arrival. Waits with it. */
export interface Arrival {
  readonly record: EventRecord;
  /** The time by which features count: its own where it states a plausible one, else log time. */
  readonly atMs: number;
  readonly timeStated: boolean;
  /** How many byte-equal events of its client were applied in the 24 h before. */
  readonly repeats: number;
}

/** Everything that facts are read from. Nothing in it is changed by reading. */
export interface EventContext {
  readonly arrival: Arrival;
  readonly event: Event;
  /** Log time of the decision; that of the arrival, unless the event has waited. */
  readonly nowMs: number;
  /** `undefined` for a client of whom nothing is known, or an event that names none. */
  readonly client: ClientEntity | undefined;
  readonly session: SessionView;
  /** Of the event's channel. */
  readonly channel: ChannelSettings;
  /** Whether its device token came with an earlier login. */
  readonly tokenRepeats: boolean;
  /** `undefined` but for a login. */
  readonly login: LoginView | undefined;
  /** Of the workspace, an IANA name. */
  readonly timezone: string;
}
