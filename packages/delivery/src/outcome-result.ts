import type { ActionState } from './action-state.ts';
import type { OutcomeResult } from './outbox.ts';

/** The outcome that the engine receives for this state; `undefined` for none. */
export function outcomeResultOf(state: ActionState): OutcomeResult | undefined {
  if (state === 'dead') return 'failed';
  return state === 'executed' || state === 'notExecuted' || state === 'expired' ? state : undefined;
}
