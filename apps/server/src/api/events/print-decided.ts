import type { Action, Decision } from '@ringfence/engine';
import { maskFacts, maskText } from '../../access/audit/personal.ts';
import type { UnfiredRule } from '../../backtest/queries/unfired-rules.ts';
import type { WhatIfAnswer } from '../what-if/what-if-schema.ts';
import { type Masking, maskUnfired } from '../server/masking.ts';

/** Prints a decision about a queried event for its caller. */
export function printDecided(
  view: Masking,
  of: { readonly decision: Decision; readonly actions: readonly Action[]; readonly unfired: readonly UnfiredRule[] },
): WhatIfAnswer {
  const { outcome, policyVersion, score, session, fired, missing } = of.decision;
  return {
    outcome,
    policyVersion,
    score,
    ...(session === undefined ? {} : { matched: session.matched }),
    ...(session?.mismatch === undefined ? {} : { mismatch: session.mismatch }),
    rules: view.isMasked ? fired.map((rule) => ({ ...rule, facts: maskFacts(rule.facts) })) : fired,
    unmatched: of.unfired.map((rule) => maskUnfired(view, rule)),
    missing,
    actions: of.actions.map(({ reason, action, state, message }) => ({
      reason,
      action,
      state,
      message: view.isMasked ? maskText(message) : message,
    })),
  };
}
