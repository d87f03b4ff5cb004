import type { EventFrame } from '../plan/event-frame.ts';
import type { EngineState } from '../state.ts';

/** Fills in the facts about holds, as of just before the event's own rules are applied. */
export function fillHoldFacts({ holds }: EngineState, frame: EventFrame): void {
  const { facts, own } = frame;
  for (const { slot, read } of own.plan.holdReaders) facts[slot] = read(holds, frame);
}
