import type { AnsweredActionState } from '@ringfence/contract';
import type { ActionState } from './action-state.ts';

/** A state as people and programs see it. Stored, a capped action is `held`; outside, only payments are held. */
export type ShownState = AnsweredActionState;

/** The state that the API, the command line, the metrics and the console show. */
export function shownState<S extends string>(state: S): Exclude<S, 'held'> | 'capped' {
  return state === 'held' ? 'capped' : (state as Exclude<S, 'held'>);
}

/** The stored state of a shown one, to filter by. */
export function storedState(state: ShownState): ActionState {
  return state === 'capped' ? 'held' : state;
}

/** Counts by stored state, by shown state. */
export function shownCounts(counts: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
  return new Map(Array.from(counts, ([state, count]) => [shownState(state), count]));
}
