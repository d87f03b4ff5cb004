import { explain, type ExplainedCondition, type Facts, type Policy, readFact } from '@ringfence/policy';
import type { FiredRule } from '@ringfence/engine';
import type { FiredOnEvent } from './lane-report.ts';

/** Why a rule fired on an event. */
export interface ExplainedRule {
  readonly reason: number;
  readonly name: string;
  readonly mode: 'live' | 'shadow';
  readonly suppressed: FiredRule['suppressed'];
  readonly conditions: readonly ExplainedCondition[];
}

/** Every rule that fired on the event, part by part, with what it read. */
export function explainExample({ rules }: FiredOnEvent, policy: Policy): readonly ExplainedRule[] {
  return rules.map(({ reason, name, mode, suppressed, facts }) => {
    const rule = policy.rules.find((one) => one.reason === reason)!;
    const values: Facts = [];
    for (const { path, slot, type } of rule.reads) {
      const text = facts[path];
      if (text !== undefined) values[slot] = readFact(text, type);
    }
    return { reason, name, mode, suppressed, conditions: explain(rule, values).conditions };
  });
}
