import { sessionOf } from '@ringfence/contract';
import type { Policy } from '@ringfence/policy';
import type { ClientEntity } from '../clients/client-entity.ts';
import { leaveDevice } from '../devices/leave-device.ts';
import { carriedFrom } from '../facts/enrichment-facts.ts';
import type { EventContext } from '../facts/event-context.ts';
import { deviceOf } from '../facts/login-facts.ts';
import type { EventFrame } from '../plan/event-frame.ts';
import { copySession, newDraft, sessionState } from '../sessions/session.ts';
import type { EngineState } from '../state.ts';

/** Adds the event to its client and session, and copies what its decision needs of them into the frame. */
export function remember(state: EngineState, context: EventContext, frame: EventFrame): void {
  const { arrival, nowMs, session } = context;
  const { subject } = frame;
  frame.arrival = arrival;
  frame.atMs = arrival.atMs;
  frame.isMatched = session.matched;
  frame.mismatch = session.mismatch;
  frame.device = isTrustGiven(state.policy) ? deviceOf(context) : undefined;
  frame.client = subject === undefined ? undefined : state.store.changeClient(subject, context.client);
  const { after } = session;
  frame.openedOffset = after !== undefined && sessionState(after, nowMs) === 'active' ? after.openedOffset : undefined;
  if (frame.client !== undefined) changeClient(state, context, frame.client);
}

function isTrustGiven(policy: Policy | undefined): boolean {
  return policy !== undefined && policy.trusting.size > 0;
}

function changeClient(state: EngineState, context: EventContext, client: ClientEntity): void {
  const { arrival, channel, event, nowMs, session } = context;
  client.seen(arrival.record.logTimeMs);
  if (event.kind === 'login') client.logins++;
  if (event.kind === 'operation') client.operations++;
  if (session.after === undefined || session.after === session.before) return;
  const kept = copySession(session.after, session.before ?? newDraft());
  if (event.kind === 'login') kept.carried = carriedFrom(context);
  if (session.before === undefined) client.sessions.add(kept, nowMs);
  else client.sessions.changed(kept);
  if (event.kind === 'login') leaveDevice(state, context, client);
  const id = sessionOf(event);
  if (event.kind !== 'login' || id === undefined) return;
  const untilMs = nowMs + channel.absoluteMs;
  state.store.putDirectory(id, { subject: client.subject, untilMs });
}
