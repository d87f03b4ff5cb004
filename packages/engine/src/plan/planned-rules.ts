import { type Policy, type Predicate, type Rule, RuleIndex, SharedConditions } from '@ringfence/policy';

/** A rule with its condition, put together from parts that rules share. */
export interface AskedRule {
  readonly rule: Rule;
  readonly when: Predicate;
}

/** Rules that are decided together, in the order in which they are asked. */
export interface PlannedRules {
  readonly rules: readonly AskedRule[];
  /** Which of them have to be asked. */
  readonly index: RuleIndex;
  /** Whether the first that fires live is the last one asked. */
  readonly isFirstMatch: boolean;
}

/** The only fact that changes while rules are asked. */
export const scorePath = 'event.score';

/** Parts of conditions that are computed once per event. */
export function sharedIn(rules: readonly Rule[]): SharedConditions {
  return new SharedConditions(rules, (path) => path === scorePath);
}

/** Rules of no group come first. */
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
