import { type Policy, type Predicate, type Rule, RuleIndex, SharedConditions } from '@ringfence/policy';

/** A rule with its condition, composed of parts that rules share. */
export interface AskedRule {
  readonly rule: Rule;
  readonly when: Predicate;
}

/** Rules that are evaluated together, in order. */
export interface PlannedRules {
  readonly rules: readonly AskedRule[];
  /** Selects the rules that have to be evaluated. */
  readonly index: RuleIndex;
  /** Whether evaluation stops at the first rule that fires live. */
  readonly isFirstMatch: boolean;
}

/** The only fact that changes while rules are evaluated. */
export const scorePath = 'event.score';

/** Parts of conditions that are computed once per event. */
export function sharedIn(rules: readonly Rule[]): SharedConditions {
  return new SharedConditions(rules, (path) => path === scorePath);
}

/** Rules without a group come first. */
export function planRules(
  groups: Policy['groups'],
  rules: readonly Rule[],
  shared: SharedConditions,
): readonly PlannedRules[] {
  const planned = [
    { members: rules.filter(({ group }) => group === undefined), isFirstMatch: false },
    ...groups.map(({ name, match }) => ({
      members: rules.filter(({ group }) => group === name),
      isFirstMatch: match === 'first',
    })),
  ];
  return planned
    .filter(({ members }) => members.length > 0)
    .map(({ members, isFirstMatch }) => {
      const sorted = members.toSorted((a, b) => a.priority - b.priority || a.reason - b.reason);
      return {
        rules: sorted.map((rule) => ({ rule, when: shared.of(rule.condition) })),
        index: new RuleIndex(sorted),
        isFirstMatch,
      };
    });
}
