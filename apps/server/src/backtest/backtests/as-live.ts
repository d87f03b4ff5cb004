import { diffPolicies, type Policy } from '@ringfence/policy';

/**
 * Which rules in shadow a backtest runs as if they were live: none, those that the live version does not have in this
 * form, or all.
 */
export const asLiveChoices = ['none', 'new', 'all'] as const;
export type AsLive = (typeof asLiveChoices)[number];

/**
 * The numbers of these rules, ascending. Without a version to compare with, every rule is new.
 *
 * @param live the version in force, or `undefined`
 */
export function rulesAsLive(candidate: Policy, live: Policy | undefined, which: AsLive): readonly number[] {
  if (which === 'none') return [];
  const inShadow = candidate.rules.filter(({ mode }) => mode === 'shadow').map(({ reason }) => reason);
  const isNew = which === 'all' || live === undefined ? () => true : newerThan(candidate, live);
  return inShadow.filter(isNew).toSorted((a, b) => a - b);
}

function newerThan(candidate: Policy, live: Policy): (reason: number) => boolean {
  const differing = new Set(diffPolicies(live, candidate).map(({ of }) => of));
  return (reason) => differing.has(`rule ${reason}`);
}

/** The policy with these rules in mode live. */
export function withRulesLive(policy: Policy, reasons: readonly number[]): Policy {
  if (reasons.length === 0) return policy;
  const live = new Set(reasons);
  return { ...policy, rules: policy.rules.map((rule) => (live.has(rule.reason) ? { ...rule, mode: 'live' } : rule)) };
}
