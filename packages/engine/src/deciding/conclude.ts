import { clientOf, sessionOf } from '@ringfence/contract';
import type { Policy } from '@ringfence/policy';
import type { ClientEntity } from '../clients/client-entity.ts';
import { leaveDevice } from '../devices/leave-device.ts';
import type { Decision, Effect } from '../effect.ts';
import { carriedFrom } from '../facts/enrichment-facts.ts';
import type { EventContext } from '../facts/event-context.ts';
import { deviceOf } from '../facts/login-facts.ts';
import { migrate } from '../features/store/migrate.ts';
import { fillRatio } from '../features/window/ratio.ts';
import { readAbsent, runGroup, takeInputs } from '../features/run-group.ts';
import { ofKind } from '../of-kind.ts';
import { writeGroupKeys } from '../plan/group-key.ts';
import type { EventFrame, FoundEntity } from '../plan/event-frame.ts';
import type { SubjectId } from '../record.ts';
import { copySession, newDraft, sessionState } from '../sessions/session.ts';
import type { EngineState } from '../state.ts';
import { applyRules } from './apply-rules.ts';
import { fillFacts } from './look.ts';

/**
 * Fills in the facts of an event and finds the entities of its features, for `conclude` to continue with. Changes no
 * state. Returns whether all of these entities are known.
 */
export function prepare(state: EngineState, context: EventContext): boolean {
  const frame = state.plan.frames.next;
  frame.own = ofKind(frame.kinds, context.event.kind);
  frame.subject = subjectOf(context);
  frame.logTimeMs = context.nowMs;
  frame.byOffset = state.underHand;
  ask(state, frame);
  fillFacts(state, context, frame);
  const { found, keys } = frame.own;
  writeGroupKeys(keys, frame);
  for (const one of found) one.subject = one.group.isOfSubject ? frame.subject : undefined;
  return state.store.lookFor(found);
}

/** Makes the event of this frame the current one. */
function ask(state: EngineState, { facts, logTimeMs, byOffset }: EventFrame): void {
  state.facts = facts;
  state.lists.nowMs = logTimeMs;
  state.underHand = byOffset;
}

/**
 * Adds the event that was prepared last to what is known of its client. `settle` decides it later, at the latest
 * before a record that is not an event is stepped.
 */
export function conclude(state: EngineState, context: EventContext, effects: Effect[]): void {
  const { arrival, nowMs, session } = context;
  const { frames } = state.plan;
  const frame = frames.next;
  const { subject } = frame;
  frames.count++;
  frame.arrival = arrival;
  frame.atMs = arrival.atMs;
  frame.isMatched = session.matched;
  frame.mismatch = session.mismatch;
  frame.device = isTrustGiven(state.policy) ? deviceOf(context) : undefined;
  frame.effects = effects;
  frame.client = subject === undefined ? undefined : state.store.changeClient(subject, context.client);
  const { after } = session;
  frame.openedOffset = after !== undefined && sessionState(after, nowMs) === 'active' ? after.openedOffset : undefined;
  if (frame.client !== undefined) leaveBehind(state, context, frame.client);
}

/**
 * Decides the pending events in order. The features of one group are computed for all of them, then the next group's,
 * then the rules, because the code of each does not fit into the processor's caches together with the others. Groups
 * do not read each other, and no rule changes a feature, so the result equals deciding one event at a time.
 */
export function settle(state: EngineState): void {
  const { frames } = state.plan;
  if (frames.count === 0) return;
  for (let place = 0; place < frames.looks.length; place++) {
    const { group } = frames.looks[place]!;
    group.beginMoves();
    for (let at = 0; at < frames.count; at++) {
      const frame = frames.at(at);
      const found = frame.own.byGroup[place];
      if (found?.key.isMissing === false) updateGroup(state, frame, found);
    }
    group.endMoves();
  }
  for (let at = 0; at < frames.count; at++) decide(state, frames.at(at));
  frames.count = 0;
}

function decide(state: EngineState, frame: EventFrame): void {
  const { arrival, effects, facts, isMatched, logTimeMs, mismatch, subject } = frame;
  const { record } = arrival;
  const { event } = record;
  ask(state, frame);
  for (const ratio of frame.own.plan.ratios) fillRatio(ratio, facts);
  const { fired, missing, score, actions } = applyRules(state, frame);
  const decision: Decision = {
    kind: 'decision',
    offset: record.offset,
    event: event.kind,
    subject,
    atMs: logTimeMs as Decision['atMs'],
    eventAtMs: arrival.atMs as Decision['eventAtMs'],
    policyVersion: state.plan.version,
    outcome: 'decided',
    repeatOf: undefined,
    session: event.kind === 'operation' ? { matched: isMatched, mismatch } : undefined,
    fired,
    missing,
    score,
  };
  effects.push(decision);
  state.onDecided?.(state, decision);
  for (const action of actions) effects.push(action);
}

function updateGroup(
  state: EngineState,
  frame: EventFrame,
  { group, key, look: entity, known, block: found }: FoundEntity,
): void {
  const { store } = state;
  ask(state, frame);
  const isUpdate = takeInputs(group, frame);
  const block = known === 'present' ? entity.group.movedTo(found) : entity.group.madeAt(key);
  if (block !== 0) entity.place(block);
  else if (isUpdate) entity.begin(key, group.layout);
  else {
    readAbsent(group, frame);
    return;
  }
  const isMoved = entity.layout !== group.layout;
  if (isMoved || isUpdate) store.changeFeature(entity);
  if (isMoved) migrate(entity, group.layout);
  runGroup(group, entity, frame);
}

function subjectOf({ arrival, event }: EventContext): SubjectId | undefined {
  return clientOf(event) === undefined ? undefined : arrival.record.subject;
}

function isTrustGiven(policy: Policy | undefined): boolean {
  return policy !== undefined && policy.trusting.size > 0;
}

/** Adds the event to what is known of its client. */
function leaveBehind(state: EngineState, context: EventContext, client: ClientEntity): void {
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
