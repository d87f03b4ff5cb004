import type { EventKind } from '@ringfence/contract';
import { explain, type Explanation, type Rule } from '@ringfence/policy';
import type { EngineState } from '../state.ts';

export interface AskedRule {
  readonly rule: Rule;
  readonly explanation: Explanation;
}

/**
 * How each rule for this kind of event comes out on the event that was decided last, whether it fired or not. Groups and
 * cooldowns are not looked at: only the conditions.
 */
export function explainLast({ policy, plan }: EngineState, kind: EventKind): readonly AskedRule[] {
  const rules = (policy?.rules ?? []).filter(({ mode, on }) => mode !== 'off' && on.has(kind));
  return rules.map((rule) => ({ rule, explanation: explain(rule, plan.facts) }));
}
