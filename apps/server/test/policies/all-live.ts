import type { Policy } from '@ringfence/policy';

/** The policy with its rules in shadow live as well: its tests then have to name all that fires. */
export function allLive(policy: Policy): Policy {
  const rules = policy.rules.map((rule) => (rule.mode === 'shadow' ? { ...rule, mode: 'live' as const } : rule));
  return { ...policy, rules };
}
