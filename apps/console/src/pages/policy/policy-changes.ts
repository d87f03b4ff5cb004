import {
  actionText,
  controlsOf,
  diffPolicies,
  loadPolicy,
  type Policy,
  type PolicyChange,
  type PolicyFile,
  printCap,
  printCooldown,
  printShare,
  raisedControl,
  type Rule,
  shareWhole,
} from '@ringfence/policy';

/** The differences between two policies. */
export interface Differences {
  readonly rules: readonly RuleChange[];
  /** Differences of features, lists, parameters, groups, packs and action names, as text. */
  readonly others: readonly PolicyChange[];
  /** Whether a feature is computed that was not, so that its history can be backfilled. */
  readonly hasNewFeatures: boolean;
  /** Whether a model leaves more events alone: that needs a second person in every workspace. */
  readonly raisesControl: boolean;
}

/** The differences of a rule between two policies. */
export interface RuleChange {
  readonly reason: number;
  readonly name: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Changed parts before and after; all parts of an added rule. */
  readonly parts: readonly { readonly part: RulePart; readonly was: string; readonly is: string }[];
}

type RulePart =
  | 'name'
  | 'events'
  | 'when'
  | 'actions'
  | 'message'
  | 'summary'
  | 'format'
  | 'mode'
  | 'share'
  | 'score'
  | 'cooldown'
  | 'cap'
  | 'clientCap'
  | 'group'
  | 'priority';

/** The name of an action that every policy has. */
type NameAction = (action: number) => string | undefined;

/** The differences of the second policy from the first; `undefined` if one of them does not load. */
export function policyChanges(
  before: readonly PolicyFile[],
  after: readonly PolicyFile[],
  nameOf: NameAction = (action) => /\((.*)\)$/.exec(actionText(action, new Map()))?.[1],
): Differences | undefined {
  const [was, is] = [loadPolicy(before), loadPolicy(after)];
  if (!was.ok || !is.ok) return undefined;
  return {
    rules: ruleChanges(was.policy, is.policy, nameOf),
    others: diffPolicies(was.policy, is.policy).filter(({ of }) => !of.startsWith('rule ')),
    hasNewFeatures: hasNewFeatures(was.policy, is.policy),
    raisesControl: raisedControl(controlsOf(was.policy), controlsOf(is.policy)) !== undefined,
  };
}

function hasNewFeatures(before: Policy, after: Policy): boolean {
  const known = new Set(before.features.map(({ fingerprint }) => fingerprint));
  return after.features.some(({ fingerprint }) => !known.has(fingerprint));
}

function ruleChanges(before: Policy, after: Policy, nameOf: NameAction): readonly RuleChange[] {
  const label =
    ({ actions }: Policy) =>
    (action: number): string => {
      const name = actions.get(action) ?? nameOf(action);
      return name === undefined ? String(action) : `${name} (${action})`;
    };
  const [old, fresh] = [label(before), label(after)];
  const partsWas = (rule: Rule): Parts => partsOf(rule, old);
  const partsIs = (rule: Rule): Parts => partsOf(rule, fresh);
  const [was, is] = [byReason(before), byReason(after)];
  const reasons = [...new Set([...was.keys(), ...is.keys()])].toSorted((a, b) => a - b);
  return reasons.flatMap((reason): readonly RuleChange[] => {
    const [one, other] = [was.get(reason), is.get(reason)];
    if (one === undefined)
      return [{ reason, name: other!.name, kind: 'added', parts: partsBetween([], partsIs(other!)) }];
    if (other === undefined) return [{ reason, name: one.name, kind: 'removed', parts: [] }];
    const parts = partsBetween(partsWas(one), partsIs(other));
    return parts.length === 0 ? [] : [{ reason, name: other.name, kind: 'changed', parts }];
  });
}

function byReason({ rules }: Policy): ReadonlyMap<number, Rule> {
  return new Map(rules.map((rule) => [rule.reason, rule]));
}

type Parts = readonly (readonly [part: RulePart, text: string])[];

function partsBetween(before: Parts, after: Parts): RuleChange['parts'] {
  const was = new Map(before);
  return after.flatMap(([part, is]) => {
    const old = was.get(part) ?? '';
    return old === is ? [] : [{ part, was: old, is }];
  });
}

/** Every part of a rule as text; empty if absent. */
function partsOf(rule: Rule, label: (action: number) => string): Parts {
  return [
    ['name', rule.name],
    ['events', [...rule.on].join(', ')],
    ['when', rule.text],
    ['actions', rule.then.map(({ action }) => label(action)).join(', ')],
    ['message', messageOf(rule, label)],
    ['summary', summaryOf(rule)],
    [
      'format',
      rule.then.some(({ format }) => format === 'html') ? rule.then.map(({ format }) => format).join(', ') : '',
    ],
    ['mode', rule.mode],
    ['share', rule.share === shareWhole ? '' : printShare(rule.share)],
    ['score', rule.score === 0 ? '' : String(rule.score)],
    ['cooldown', printCooldown(rule.cooldown) ?? ''],
    ['cap', printCap(rule.maxActions) ?? ''],
    ['clientCap', printCap(rule.maxActionsPerClient) ?? ''],
    ['group', rule.group ?? ''],
    ['priority', rule.group === undefined ? '' : String(rule.priority)],
  ];
}

/** As written; with several languages, each with its tag. */
function summaryOf({ summary }: Rule): string {
  const [first, ...others] = summary;
  if (first?.language === 'en' && others.length === 0) return first.template;
  return summary.map(({ language, template }) => `${language}: ${template}`).join('\n');
}

/** As written; with several actions, each with its name. */
function messageOf({ then }: Rule, label: (action: number) => string): string {
  const [first, ...others] = then;
  if (first !== undefined && others.length === 0) return first.message;
  return then
    .filter(({ message }) => message !== '')
    .map(({ action, message }) => `${label(action)}: ${message}`)
    .join('\n');
}
