import type { Decision } from '../effect.ts';
import { migrate } from '../features/store/migrate.ts';
import { fillRatio } from '../features/window/ratio.ts';
import type { EventFrame, FoundEntity } from '../plan/event-frame.ts';
import { fillHoldFacts } from './fill-hold-facts.ts';
import type { EngineState } from '../state.ts';
import { applyRules } from './apply-rules.ts';
import { withSandbox } from './sandbox.ts';

/**
 * Decides the pending events in order. The features of one group are computed for all of them, then the next group's,
 * then the rules, because the code of each does not fit into the processor's caches together with the others. Groups
 * do not read each other, and no rule changes a feature, so the result equals deciding one event at a time.
 */
export function decidePending(state: EngineState): void {
  const { pending } = state.plan;
  if (pending.count === 0) return;
  for (let place = 0; place < pending.looks.length; place++) computeGroup(state, place);
  for (let at = 0; at < pending.count; at++) decide(state, pending.at(at));
  pending.clear();
}

/** Adds a frame that is not pending to its entities. Its features are not read, and no rule is evaluated. */
export function countFrame(state: EngineState, frame: EventFrame): void {
  for (const found of frame.own.found) {
    const { group } = found.look;
    group.beginMoves();
    if (!found.key.isMissing) computeFeatures(state, frame, found);
    group.endMoves();
  }
}

/** Adds the pending events to their entities in one group of features, and fills in its facts. */
function computeGroup(state: EngineState, place: number): void {
  const { pending } = state.plan;
  const { group } = pending.looks[place]!;
  group.beginMoves();
  for (let at = 0; at < pending.count; at++) {
    const frame = pending.at(at);
    const found = frame.own.byGroup[place];
    if (found?.key.isMissing === false) computeFeatures(state, frame, found);
  }
  group.endMoves();
}

function computeFeatures(
  state: EngineState,
  frame: EventFrame,
  { group, key, look: entity, known, block: found }: FoundEntity,
): void {
  const { store, scratch } = state;
  resume(state, frame);
  const isUpdate = scratch.groups.takeInputs(group, frame);
  const block = known === 'present' ? entity.group.movedTo(found) : entity.group.madeAt(key);
  if (block !== 0) entity.place(block);
  else if (isUpdate) entity.begin(key, group.layout);
  else {
    scratch.groups.readAbsent(group, frame);
    return;
  }
  const isMoved = entity.layout !== group.layout;
  if (isMoved || isUpdate) store.changeFeature(entity);
  if (isMoved) migrate(entity, group.layout);
  scratch.groups.run(group, entity, frame);
}

/** Applies the rules, and adds the decision and its actions to the effects of the record. */
function decide(state: EngineState, frame: EventFrame): void {
  const { arrival, effects, facts, isMatched, logTimeMs, mismatch, subject } = frame;
  const { record } = arrival;
  const { event } = record;
  resume(state, frame);
  for (const ratio of frame.own.plan.ratios) fillRatio(ratio, facts);
  fillHoldFacts(state, frame);
  for (const model of frame.own.plan.models) {
    const evaluation = model.fill(facts);
    if (evaluation !== undefined) state.onEvaluated?.(evaluation, logTimeMs);
  }
  const { fired, missing, score, actions, held } = withSandbox(state, frame, applyRules(state, frame));
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
    country: frame.country,
  };
  effects.push(decision);
  state.decidedFacts = facts;
  state.onDecided?.(state, decision);
  for (const action of actions) effects.push(action);
  for (const effect of held) effects.push(effect);
}

/** Returns to an event: conditions on live lists are evaluated at its time, and an error is reported for its record. */
function resume(state: EngineState, { logTimeMs, byOffset }: EventFrame): void {
  state.lists.nowMs = logTimeMs;
  state.steppingOffset = byOffset;
}
