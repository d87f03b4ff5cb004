import type { Event } from '@ringfence/contract';
import type { ClientEntity } from '../clients/client-entity.ts';
import type { ChannelSettings, EventRecord } from '../record.ts';
import type { SessionView } from '../sessions/session-view.ts';
import type { LoginView } from './login-view.ts';

/** An event as it arrived, with what is only known on arrival. Kept with it while it waits. */
export interface Arrival {
  readonly record: EventRecord;
  /** The time that features use: the event's own if it states a plausible one, else log time. */
  readonly atMs: number;
  readonly timeStated: boolean;
  /** How many byte-equal events of its client were applied in the 24 h before. */
  readonly repeats: number;
}

/** Everything that facts are read from. Reading changes nothing in it. */
export interface EventContext {
  readonly arrival: Arrival;
  readonly event: Event;
  /** Log time of the decision; equals that of the arrival, unless the event has waited. */
  readonly nowMs: number;
  /** `undefined` if nothing is known about the client, or the event names none. */
  readonly client: ClientEntity | undefined;
  readonly session: SessionView;
  /** Settings of the event's channel. */
  readonly channel: ChannelSettings;
  /** Whether its device token came with an earlier login. */
  readonly tokenRepeats: boolean;
  /** `undefined` unless the event is a login. */
  readonly login: LoginView | undefined;
  /** Time zone of the workspace, an IANA name. */
  readonly timezone: string;
}
