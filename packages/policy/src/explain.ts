import type { Facts } from './fact-value.ts';
import type { Condition, Rule } from './policy.ts';
import { printFact } from './print-fact.ts';

/** How one comparison of a rule came out. */
export interface ExplainedCondition {
  /** Its text, in canonical form. */
  readonly text: string;
  /** `undefined`: a fact that it needs was missing. */
  readonly holds: boolean | undefined;
  /** What it read, printed, by path; a missing fact is `undefined`. */
  readonly values: Readonly<Record<string, string | undefined>>;
}

export interface Explanation {
  readonly holds: boolean | undefined;
  /** The parts between `&&` and `||`, in the order of the text. */
  readonly conditions: readonly ExplainedCondition[];
}

/** Why a rule fired on these facts, or why it did not. */
export function explain(rule: Rule, facts: Facts): Explanation {
  return {
    holds: rule.when(facts),
    conditions: rule.conditions.map((condition) => explainCondition(condition, facts)),
  };
}

function explainCondition(condition: Condition, facts: Facts): ExplainedCondition {
  const values = condition.reads.map(({ path, slot, type }) => {
    const value = facts[slot];
    return [path, value === undefined ? undefined : printFact(value, type)] as const;
  });
  return { text: condition.text, holds: condition.holds(facts), values: Object.fromEntries(values) };
}
