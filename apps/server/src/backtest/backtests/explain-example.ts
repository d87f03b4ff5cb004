import { type ExplainedCondition, explainFired, type Policy } from '@ringfence/policy';
import type { FiredRule } from '@ringfence/engine';
import type { FiredOnEvent } from './worker-report.ts';

/** Why a rule fired on an event. */
export interface ExplainedRule {
  readonly reason: number;
  readonly name: string;
  readonly mode: 'live' | 'shadow';
  readonly suppressed: FiredRule['suppressed'];
  readonly conditions: readonly ExplainedCondition[];
}

/** Every rule that fired on the event, part by part, with the facts it read. */
export function explainExample({ rules }: FiredOnEvent, policy: Policy): readonly ExplainedRule[] {
  return rules.map(({ reason, name, mode, suppressed, facts }) => {
    const rule = policy.rules.find((one) => one.reason === reason)!;
    return { reason, name, mode, suppressed, conditions: explainFired(rule, facts, policy).conditions };
  });
}
