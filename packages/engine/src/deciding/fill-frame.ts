import { clientOf } from '@ringfence/contract';
import type { Facts } from '@ringfence/policy';
import { enrichmentReader } from '../facts/enrichment-facts.ts';
import type { EventContext } from '../facts/event-context.ts';
import { fillHoldFacts } from './fill-hold-facts.ts';
import { ofKind } from '../of-kind.ts';
import type { EventFrame } from '../plan/event-frame.ts';
import { writeGroupKeys } from '../plan/group-key.ts';
import type { EngineState } from '../state.ts';

const countryOf = enrichmentReader('ip.country');

/**
 * Fills in the facts of an event except features, and finds the entities of its features; `isKnown` says whether none
 * of them is unknown. Changes no state.
 *
 * @returns the plan's free frame: the next call overwrites it, unless it became pending
 */
export function fillFrame(state: EngineState, context: EventContext): EventFrame {
  const frame = state.plan.pending.free;
  frame.own = ofKind(frame.kinds, context.event.kind);
  return fillIn(state, context, frame);
}

/** The same for a reported outcome of the event. */
export function fillReportFrame(state: EngineState, context: EventContext): EventFrame {
  const frame = state.plan.pending.free;
  frame.own = frame.kinds.outcome;
  return fillIn(state, context, frame);
}

function fillIn(state: EngineState, context: EventContext, frame: EventFrame): EventFrame {
  const { arrival, event, nowMs } = context;
  frame.subject = clientOf(event) === undefined ? undefined : arrival.record.subject;
  frame.logTimeMs = nowMs;
  frame.byOffset = state.steppingOffset;
  fillFacts(state, context, frame);
  frame.country = countryOf(context) as string | undefined;
  if (state.plan.isHoldCounted) {
    frame.arrival = arrival;
    fillHoldFacts(state, frame);
  }
  const { found, keys } = frame.own;
  writeGroupKeys(keys, frame);
  for (const one of found) one.subject = one.group.isOfSubject ? frame.subject : undefined;
  frame.isKnown = state.store.lookFor(found);
  return frame;
}

function fillFacts({ plan: { lists } }: EngineState, context: EventContext, { facts, own }: EventFrame): void {
  // Faster than `fill`, which is a call out of compiled code.
  for (let slot = 0; slot < facts.length; slot++) facts[slot] = undefined;
  for (const { slot, items } of lists) facts[slot] = items as unknown as Facts[number];
  for (const { slot, read } of own.plan.readers) facts[slot] = read(context);
}
