import { clientOf, sessionOf } from '@ringfence/contract';
import type { ClientEntity } from '../clients/client-entity.ts';
import { leaveDevice } from '../devices/leave-device.ts';
import type { Decision, Effect } from '../effect.ts';
import { carriedFrom } from '../facts/door-facts.ts';
import type { EventContext } from '../facts/event-context.ts';
import { migrate } from '../features/migrate.ts';
import { fillRatio } from '../features/ratio.ts';
import { contributionsOf, type FeatureEvent, readAbsent, runGroup } from '../features/run-group.ts';
import { writeGroupKey } from '../plan/group-key.ts';
import type { FoundEntity } from '../plan/plan.ts';
import type { SubjectId } from '../record.ts';
import { copySession, newDraft, putSession } from '../sessions/session.ts';
import { channelOf } from '../sessions/session-view.ts';
import type { EngineState } from '../state.ts';
import { applyRules } from './apply-rules.ts';
import { fillFacts } from './look.ts';

/**
 * Fills in the facts of an event and finds the entities that its features are about, for `conclude` to go on with.
 * Changes nothing. Answers whether all of them are known.
 */
export function prepare(state: EngineState, context: EventContext): boolean {
  const { store } = state;
  const subject = subjectOf(context);
  const naming = { facts: fillFacts(state, context), subject };
  const { found } = state.plan.kinds[context.event.kind];
  for (const one of found) {
    one.isNamed = writeGroupKey(one.key, one.group, naming);
    one.subject = one.group.isOfSubject ? subject : undefined;
  }
  return store.lookFor(found);
}

/** Decides the event that was prepared last: features, then rules, then what the event itself leaves behind. */
export function conclude(state: EngineState, context: EventContext, effects: Effect[]): void {
  const { arrival, event, nowMs } = context;
  const { record } = arrival;
  const subject = subjectOf(context);
  const client = subject === undefined ? undefined : state.store.changeClient(subject, context.client);
  const featureEvent = { facts: state.plan.facts, subject, atMs: arrival.atMs, logTimeMs: nowMs };
  for (const found of state.plan.kinds[event.kind].found) updateGroup(state, found, featureEvent);
  for (const ratio of state.plan.kinds[event.kind].ratios) fillRatio(ratio, state.plan.facts);
  const { fired, missing, score, actions } = applyRules(state, context, client);
  const { matched, mismatch } = context.session;
  const decision: Decision = {
    kind: 'decision',
    offset: record.offset,
    event: event.kind,
    subject,
    atMs: nowMs as Decision['atMs'],
    eventAtMs: arrival.atMs as Decision['eventAtMs'],
    policyVersion: state.plan.version,
    outcome: 'decided',
    repeatOf: undefined,
    session: event.kind === 'operation' ? { matched, mismatch } : undefined,
    fired,
    missing,
    score,
  };
  effects.push(decision);
  state.onDecided?.(decision);
  for (const action of actions) effects.push(action);
  if (client !== undefined) leaveBehind(state, context, client);
}

function updateGroup(state: EngineState, found: FoundEntity, event: FeatureEvent): void {
  const { group, key, look: entity, isNamed, known } = found;
  if (!isNamed) return;
  const { store } = state;
  const isUpdate = contributionsOf(group, event).length > 0;
  if (known !== 'present') {
    if (!isUpdate) {
      readAbsent(group, event);
      return;
    }
    entity.begin(key, group.layout);
  }
  const isMoved = entity.layout !== group.layout;
  if (isMoved || isUpdate) store.changeFeature(entity);
  if (isMoved) migrate(entity, group.layout);
  runGroup(group, entity, event);
}

function subjectOf({ arrival, event }: EventContext): SubjectId | undefined {
  return clientOf(event) === undefined ? undefined : arrival.record.subject;
}

/** The event becomes part of what is known of its client. */
function leaveBehind(state: EngineState, context: EventContext, client: ClientEntity): void {
  const { arrival, event, nowMs, session } = context;
  client.seen(arrival.record.logTimeMs);
  if (event.kind === 'login') client.logins++;
  if (event.kind === 'operation') client.operations++;
  if (session.after === undefined || session.after === session.before) return;
  const kept = copySession(session.after, session.before ?? newDraft());
  if (event.kind === 'login') kept.carried = carriedFrom(context);
  if (session.before === undefined) client.sessions = putSession(client.sessions, kept, nowMs);
  if (event.kind === 'login') leaveDevice(state, context, client);
  const id = sessionOf(event);
  if (event.kind !== 'login' || id === undefined) return;
  const untilMs = nowMs + channelOf(state.settings, event.channelId).absoluteMs;
  state.store.changeDirectory(id).holder = { subject: client.subject, untilMs };
}
