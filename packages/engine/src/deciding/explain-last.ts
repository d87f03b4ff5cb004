import { explain, type Explanation, type Rule } from '@ringfence/policy';
import type { Decision } from '../effect.ts';
import type { EngineState } from '../state.ts';

export interface ExplainedRule {
  readonly rule: Rule;
  readonly explanation: Explanation;
  /** A rule of its group that stands before it fired, and the first one is enough there. */
  readonly isPassedOver: boolean;
}

/**
 * How each rule for this kind of event comes out on the event that was decided last, whether it fired or not, in the
 * order in which they are asked. Cooldowns are not looked at: only the conditions.
 *
 * @param decision the last one that was made; facts are there until the next
 */
export function explainLast({ plan, facts }: EngineState, decision: Decision): readonly ExplainedRule[] {
  const { kinds, scoreSlot } = plan;
  const fired = new Map(decision.fired.map((rule) => [rule.reason, rule]));
  let score = 0;
  return kinds[decision.event].groups.flatMap(({ rules, isFirstMatch }) => {
    // As it was when the rules of this group were asked.
    if (scoreSlot !== undefined) facts[scoreSlot] = score;
    let isPassedOver = false;
    return rules.map(({ rule }): ExplainedRule => {
      const explained = { rule, explanation: explain(rule, facts), isPassedOver };
      const one = fired.get(rule.reason);
      score += one?.score ?? 0;
      if (isFirstMatch && one?.mode === 'live' && one.suppressed !== 'suppression') isPassedOver = true;
      return explained;
    });
  });
}
