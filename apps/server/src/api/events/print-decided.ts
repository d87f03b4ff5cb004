import type { Action, Decision } from '@ringfence/engine';
import type { UnfiredRule } from '../../backtest/queries/unfired-rules.ts';
import type { WhatIfAnswer } from '../what-if/what-if-schema.ts';

/** Prints a decision about a queried event. */
export function printDecided(of: {
  readonly decision: Decision;
  readonly actions: readonly Action[];
  readonly unfired: readonly UnfiredRule[];
}): WhatIfAnswer {
  const { outcome, policyVersion, score, session, fired, missing } = of.decision;
  return {
    outcome,
    policyVersion,
    score,
    ...(session === undefined ? {} : { matched: session.matched }),
    ...(session?.mismatch === undefined ? {} : { mismatch: session.mismatch }),
    rules: fired,
    unmatched: of.unfired,
    missing,
    actions: of.actions.map(({ reason, action, state, message }) => ({
      reason,
      action,
      state,
      message,
    })),
  };
}
