import { type Decision, type EngineState, explainLast } from '@ringfence/engine';
import type { ExplainedCondition } from '@ringfence/policy';

/** A rule for this kind of event that did not fire, and why. */
export interface UnfiredRule {
  readonly reason: number;
  readonly name: string;
  readonly mode: 'live' | 'shadow';
  /** Its condition in canonical form, and the parts of it. */
  readonly text: string;
  readonly conditions: readonly ExplainedCondition[];
  /** An earlier rule of its group fired, and the group stops at the first one. */
  readonly isPassedOver: boolean;
}

/** The condition of a rule that fired, part by part. */
export interface FiredConditions {
  readonly reason: number;
  readonly conditions: readonly ExplainedCondition[];
}

/** Conditions of the rules that fired on the event that was just decided. Call while its facts are in the state. */
export function firedConditions(state: EngineState, decision: Decision): readonly FiredConditions[] {
  const fired = new Set(decision.fired.map(({ reason }) => reason));
  return explainLast(state, decision)
    .filter(({ rule }) => fired.has(rule.reason))
    .map(({ rule, explanation }) => ({ reason: rule.reason, conditions: explanation.conditions }));
}

/**
 * Rules that did not fire on the event that was just decided, part by part, as plain values. Call while its facts are
 * in the state.
 */
export function unfiredRules(state: EngineState, decision: Decision): readonly UnfiredRule[] {
  const fired = new Set(decision.fired.map(({ reason }) => reason));
  return explainLast(state, decision).flatMap(({ rule, explanation, isPassedOver }): readonly UnfiredRule[] => {
    const { reason, name, mode, text } = rule;
    if (fired.has(reason) || mode === 'off') return [];
    return [{ reason, name, mode, text, conditions: explanation.conditions, isPassedOver }];
  });
}
