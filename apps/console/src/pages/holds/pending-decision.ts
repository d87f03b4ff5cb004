import type { Hold } from '../../api/operations.generated.ts';

/** The decision about an open hold that was neither undone nor refused; `undefined` if there is none. */
export function pendingDecision({ state, decision }: Hold): Hold['decision'] {
  const isPending = state === 'open' && decision?.state !== 'undone' && decision?.state !== 'refused';
  return isPending ? decision : undefined;
}

/** Whether a person can decide about it. */
export function isUndecided(hold: Hold): boolean {
  return hold.state === 'open' && pendingDecision(hold) === undefined;
}
