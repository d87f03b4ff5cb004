import { loadPolicy, type PolicyFile, type Rule } from '@ringfence/policy';

/** How a rule differs between two policies. */
export interface RuleChange {
  readonly reason: number;
  readonly name: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** What changed, with how it was and how it is. */
  readonly parts: readonly {
    readonly part: 'name' | 'when' | 'actions' | 'mode' | 'cooldown';
    readonly was: string;
    readonly is: string;
  }[];
}

/** What the second policy does otherwise than the first, rule by rule; `undefined` when one of them does not load. */
export function policyChanges(
  before: readonly PolicyFile[],
  after: readonly PolicyFile[],
): readonly RuleChange[] | undefined {
  const [was, is] = [rulesOf(before), rulesOf(after)];
  if (was === undefined || is === undefined) return undefined;
  const reasons = [...new Set([...was.keys(), ...is.keys()])].toSorted((a, b) => a - b);
  return reasons.flatMap((reason): readonly RuleChange[] => {
    const [old, fresh] = [was.get(reason), is.get(reason)];
    if (old === undefined) return [{ reason, name: fresh!.name, kind: 'added', parts: [] }];
    if (fresh === undefined) return [{ reason, name: old.name, kind: 'removed', parts: [] }];
    const parts = partsOf(old).flatMap(([part, text], at) => {
      const now = partsOf(fresh)[at]![1];
      return now === text ? [] : [{ part, was: text, is: now }];
    });
    return parts.length === 0 ? [] : [{ reason, name: fresh.name, kind: 'changed', parts }];
  });
}

function rulesOf(files: readonly PolicyFile[]): ReadonlyMap<number, Rule> | undefined {
  const loaded = loadPolicy(files);
  return loaded.ok ? new Map(loaded.policy.rules.map((rule) => [rule.reason, rule])) : undefined;
}

function partsOf(rule: Rule) {
  const { cooldown } = rule;
  return [
    ['name', rule.name],
    ['when', rule.text],
    ['actions', rule.then.map(({ action }) => String(action)).join(', ')],
    ['mode', rule.mode],
    ['cooldown', cooldown === undefined ? '–' : `${cooldown.ms / 1_000} s per ${cooldown.per}`],
  ] as const;
}
