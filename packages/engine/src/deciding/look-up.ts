import { clientOf } from '@ringfence/contract';
import type { ClientEntity } from '../clients/client-entity.ts';
import { type Applied, repeatsOf } from '../clients/repeat-memory.ts';
import type { Arrival, EventContext } from '../facts/event-context.ts';
import { isTimeKnown } from '../facts/event-time.ts';
import { viewLogin } from '../facts/login-view.ts';
import { eventEarlyMsMax, eventLateMsMax } from '../limits.ts';
import { tokenNonce } from '../devices/token-nonce.ts';
import type { EventRecord } from '../record.ts';
import { SessionList } from '../sessions/session-list.ts';
import { channelOf, viewSession } from '../sessions/session-view.ts';
import type { EngineState } from '../state.ts';

/** Shared empty list, never mutated. */
const none = new SessionList();

/** Computes the event's time (its own if plausible, at most log time, else log time) and how often its body was applied before. */
export function arrivalOf(record: EventRecord, applied: Applied | undefined): Arrival {
  const { logTimeMs } = record;
  const statedAtMs = record.enrichment.statedAtMs;
  const timeStated =
    statedAtMs !== undefined && statedAtMs >= logTimeMs - eventLateMsMax && statedAtMs <= logTimeMs + eventEarlyMsMax;
  return {
    record,
    // Nothing arrives before it happened, so a clock that is ahead is no reason to count an event later.
    atMs: timeStated ? Math.min(statedAtMs, logTimeMs) : logTimeMs,
    timeStated,
    repeats: repeatsOf(applied, logTimeMs),
  };
}

export interface LookUpAt {
  /** Log time of the decision. */
  readonly nowMs: number;
  /** The event's client; `undefined` if nothing is known about it. */
  readonly client: ClientEntity | undefined;
  /** Sessions to search instead of the client's. */
  readonly sessions?: SessionList;
}

/**
 * Looks up what the facts of an event are read from: its session, its device, its channel. Changes no state, so it can
 * be called in advance. Afterwards `state.directory` contains the session names that are unknown.
 */
export function lookUp(state: EngineState, arrival: Arrival, at: LookUpAt): EventContext {
  const { record } = arrival;
  const { event, offset } = record;
  const subject = clientOf(event) === undefined ? undefined : record.subject;
  const { client } = at;
  const { timezone } = state.settings;
  const channel = channelOf(state.settings, event.channelId);
  const session = viewSession(at.sessions ?? client?.sessions ?? none, {
    event,
    subject,
    offset,
    statedAtMs: arrival.timeStated ? arrival.atMs : undefined,
    nowMs: at.nowMs,
    settings: state.settings,
    channel,
    directory: state.directory.begin(),
  });
  const nonce = tokenNonce(record);
  const tokenRepeats = nonce !== undefined && state.tokens.has(nonce, record.logTimeMs);
  return {
    arrival,
    event,
    nowMs: at.nowMs,
    client,
    session,
    channel,
    tokenRepeats,
    login:
      event.kind === 'login'
        ? viewLogin(state, arrival, {
            client,
            tokenRepeats,
            timeKnown: isTimeKnown({ arrival, event, timezone }),
            timezone,
            isSurpriseRead: state.plan.isSurpriseRead,
          })
        : undefined,
    timezone,
  };
}
