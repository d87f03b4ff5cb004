import { explain, explainModel, type Explanation, type ModelExplanation, type Rule } from '@ringfence/policy';
import type { Decision } from '../effect.ts';
import type { EngineState } from '../state.ts';
import { countsLive } from './apply-rules.ts';

export interface ExplainedRule {
  readonly rule: Rule;
  readonly explanation: Explanation;
  /** An earlier rule of its `match: first` group fired, so this one was not evaluated. */
  readonly isPassedOver: boolean;
}

/**
 * Explains the condition of each rule for this kind of event on the event that was decided last, in evaluation order,
 * whether the rule fired or not. Cooldowns are not considered.
 *
 * @param decision the last one; its facts remain available until the next
 */
export function explainLast({ plan, decidedFacts: facts }: EngineState, decision: Decision): readonly ExplainedRule[] {
  const { kinds, scoreSlot } = plan;
  const fired = new Map(decision.fired.map((rule) => [rule.reason, rule]));
  let score = 0;
  return kinds[decision.event].groups.flatMap(({ rules, isFirstMatch }) => {
    // The score when the rules of this group were evaluated.
    if (scoreSlot !== undefined) facts[scoreSlot] = score;
    let isPassedOver = false;
    return rules.map(({ rule }): ExplainedRule => {
      const explained = { rule, explanation: explain(rule, facts), isPassedOver };
      const one = fired.get(rule.reason);
      score += one?.score ?? 0;
      if (isFirstMatch && one !== undefined && countsLive(one)) isPassedOver = true;
      return explained;
    });
  });
}

/**
 * Explains each model that was evaluated for the event that was decided last.
 *
 * @param currency of the event, for words
 */
export function explainModels(
  { plan, policy, decidedFacts: facts }: EngineState,
  { event }: Decision,
  currency?: string,
): readonly ModelExplanation[] {
  if (policy === undefined) return [];
  return plan.kinds[event].models.flatMap((run) => {
    const inputs = run.inputs(facts);
    return (inputs && explainModel(policy, run.model, { inputs, currency })) ?? [];
  });
}
