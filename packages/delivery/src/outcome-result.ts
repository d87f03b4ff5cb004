import type { ActionState } from './action-state.ts';
import type { OutcomeResult } from './outbox.ts';

/** What the engine is told when an action comes to this state; `undefined` when it is told nothing. */
export function outcomeResultOf(state: ActionState): OutcomeResult | undefined {
  if (state === 'dead') return 'failed';
  return state === 'executed' || state === 'notExecuted' || state === 'expired' ? state : undefined;
}
