import { compareText } from '../document/mistakes.ts';
import { conditionChanges } from './diff-conditions.ts';
import { fieldChanges } from './field-changes.ts';
import type { ActionTemplate, Feature, Model, Policy, Rule } from '../policy.ts';
import { actionText } from '../sections/read-actions.ts';
import { printControl } from '../sections/read-control.ts';
import { printCap, printCooldown, printShare } from '../sections/spans.ts';
import { formatDuration } from '../values/duration.ts';

/** One difference to another version of a policy, in words. */
export interface PolicyChange {
  /** `rule 301`, `list mules`, `feature clientPaid5m`. */
  readonly of: string;
  readonly change: string;
}

/**
 * The differences between two versions, rules first, ordered by reason. Empty if they decide equally and summarise alike.
 */
export function diffPolicies(before: Policy, after: Policy): readonly PolicyChange[] {
  return [
    ...changesOf(byKey(before.rules, ruleName), byKey(after.rules, ruleName), ruleChanges(before, after)),
    ...changesOf(byKey(before.groups, named('group')), byKey(after.groups, named('group')), (a, b) =>
      fieldChanges([
        ['priority', a.priority, b.priority],
        ['match', a.match, b.match],
      ]),
    ),
    ...changesOf(byKey(before.params, named('parameter')), byKey(after.params, named('parameter')), (a, b) =>
      fieldChanges([
        ['type', a.type, b.type],
        ['value', a.value, b.value],
      ]),
    ),
    ...changesOf(byKey(before.features, named('feature')), byKey(after.features, named('feature')), featureChanges),
    ...changesOf(byKey(before.ratios, named('feature')), byKey(after.ratios, named('feature')), (a, b) =>
      fieldChanges([
        ['ratio', a.of.name, b.of.name],
        ['to', a.to.name, b.to.name],
      ]),
    ),
    ...changesOf(byKey(before.models, named('model')), byKey(after.models, named('model')), modelChanges),
    ...changesOf(byKey(before.lists, named('list')), byKey(after.lists, named('list')), listChanges(before, after)),
    ...changesOf(byKey(before.packs, named('pack')), byKey(after.packs, named('pack')), (a, b) =>
      fieldChanges([['version', a.version, b.version]]),
    ),
    ...actionChanges(before, after),
  ];
}

/** `rule 301: threshold of clientPaid5m 6 to 5` */
export function printChange({ of, change }: PolicyChange): string {
  return `${of}: ${change}`;
}

type Named<Part> = (part: Part) => string;

const ruleName: Named<Rule> = ({ reason }) => `rule ${reason}`;

function named(kind: string): Named<{ readonly name: string }> {
  return ({ name }) => `${kind} ${name}`;
}

function byKey<Part>(parts: readonly Part[], nameOf: Named<Part>): ReadonlyMap<string, Part> {
  return new Map(parts.map((part) => [nameOf(part), part]));
}

function changesOf<Part>(
  before: ReadonlyMap<string, Part>,
  after: ReadonlyMap<string, Part>,
  compare: (before: Part, after: Part) => readonly string[],
): readonly PolicyChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((of) => {
    const [old, present] = [before.get(of), after.get(of)];
    if (present === undefined) return [{ of, change: 'is removed' }];
    if (old === undefined) return [{ of, change: `is added${describe(present)}` }];
    return compare(old, present).map((change) => ({ of, change }));
  });
}

function describe(part: unknown): string {
  const { name, text, mode } = part as Partial<Rule>;
  return text === undefined ? '' : `, ${mode}: ${name}, when ${text}`;
}

function ruleChanges(before: Policy, after: Policy): (a: Rule, b: Rule) => readonly string[] {
  return (a, b) => [
    ...(a.mode === b.mode ? [] : [`is now ${b.mode}`]),
    ...conditionChanges(a.text, b.text),
    ...fieldChanges([
      ['name', a.name, b.name],
      ['events', [...a.on].join(', '), [...b.on].join(', ')],
      ['actions', ...actionChangesOf([before, a], [after, b])],
      ['share', printShare(a.share), printShare(b.share)],
      ['group', a.group, b.group],
      ['priority', a.priority, b.priority],
      ['score', a.score, b.score],
      ['cooldown', printCooldown(a.cooldown), printCooldown(b.cooldown)],
      ['cap', printCap(a.maxActions), printCap(b.maxActions)],
      ['cap per client', printCap(a.maxActionsPerClient), printCap(b.maxActionsPerClient)],
    ]),
    ...b.then.flatMap((action) => messageChanges(a, action)),
    ...summaryChanges(a, b),
  ];
}

function actionsOf({ then }: Rule): string {
  return then.map(({ action }) => action).join(', ');
}

/** Matched by name; equal if only the name differs, which is reported once for all rules. */
function actionChangesOf(
  [before, a]: readonly [Policy, Rule],
  [after, b]: readonly [Policy, Rule],
): readonly [string, string] {
  if (actionsOf(a) === actionsOf(b)) return ['', ''];
  const names = ({ actions }: Policy, { then }: Rule): string =>
    then.map(({ action }) => actionText(action, actions)).join(', ');
  return [names(before, a), names(after, b)];
}

/** Changes of an action; all its fields if the rule did not have it before. */
function messageChanges(before: Rule, { action, message, format }: ActionTemplate): readonly string[] {
  const was = before.then.find((one) => one.action === action);
  return fieldChanges([
    [`message of action ${action}`, quoted(was?.message), quoted(message)],
    [`format of action ${action}`, was?.format ?? 'text', format],
  ]);
}

function summaryChanges(a: Rule, b: Rule): readonly string[] {
  const textIn = ({ summary }: Rule, language: string): string | undefined =>
    quoted(summary.find((one) => one.language === language)?.template);
  const languages = new Set([...a.summary, ...b.summary].map(({ language }) => language));
  return fieldChanges(
    [...languages].map((language) => [`summary in ${language}`, textIn(a, language), textIn(b, language)]),
  );
}

/** Printed on one line. */
function quoted(message: string | undefined): string | undefined {
  return message === undefined || message === '' ? undefined : JSON.stringify(message);
}

function listChanges(
  before: Policy,
  after: Policy,
): (a: Policy['lists'][number], b: Policy['lists'][number]) => readonly string[] {
  const itemsOf = ({ canonical }: Policy): ReadonlyMap<string, readonly string[]> => {
    const { lists } = JSON.parse(canonical) as { lists: readonly { name: string; items: readonly string[] }[] };
    return new Map(lists.map(({ name, items }) => [name, items]));
  };
  const [old, present] = [itemsOf(before), itemsOf(after)];
  return (a, b) => {
    const [had, has] = [new Set(old.get(a.name)), new Set(present.get(b.name))];
    const added = [...has].filter((item) => !had.has(item)).length;
    const removed = [...had].filter((item) => !has.has(item)).length;
    return [
      ...(added === 0 ? [] : [`${items(added)} added`]),
      ...(removed === 0 ? [] : [`${items(removed)} removed`]),
      ...fieldChanges([
        ['of', a.of.join(', '), b.of.join(', ')],
        ['live', a.live === undefined ? 'no' : 'yes', b.live === undefined ? 'no' : 'yes'],
        ['max', a.live?.max, b.live?.max],
      ]),
    ];
  };
}

function items(count: number): string {
  return count === 1 ? '1 item' : `${count} items`;
}

function actionChanges(before: Policy, after: Policy): readonly PolicyChange[] {
  const numbers = [...new Set([...before.actions.keys(), ...after.actions.keys()])].toSorted((a, b) => a - b);
  return numbers
    .flatMap((action) =>
      fieldChanges([
        ['name', before.actions.get(action), after.actions.get(action)],
        ['stepUp', asksFor(before, action), asksFor(after, action)],
        ['trusts', trustedBy(before, action), trustedBy(after, action)],
        ['hold', holdBy(before, action), holdBy(after, action)],
      ]).map((change) => ({ of: `action ${action}`, change })),
    )
    .toSorted((a, b) => compareText(a.of, b.of));
}

/** Actions that trust a device are step-ups anyway, and show it by `trusts`. */
function asksFor({ stepUps, trusting }: Policy, action: number): string | undefined {
  return stepUps.has(action) && !trusting.has(action) ? 'true' : undefined;
}

function trustedBy({ trusting, trustMethods }: Policy, action: number): string | undefined {
  const methods = trustMethods.get(action);
  if (methods !== undefined) return `device by ${methods.join(', ')}`;
  return trusting.has(action) ? 'device' : undefined;
}

function holdBy({ holds }: Policy, action: number): string | undefined {
  const terms = holds.get(action);
  if (terms === undefined) return undefined;
  const { release, reject, withinMs, hours, otherwise } = terms;
  const counted = hours === undefined ? '' : ' of business hours';
  return `release ${release.action}, reject ${reject.action}, within ${formatDuration(withinMs)}${counted}, otherwise ${otherwise}`;
}

/** How a feature of the same name changed. If its stored state differs, it starts without history. */
function featureChanges(a: Feature, b: Feature): readonly string[] {
  const changes = fieldChanges([
    ['kind', a.kind, b.kind],
    ['about', a.of, b.of],
    ['by', a.by.join(', '), b.by.join(', ')],
    ['window', span(a.overMs), span(b.overMs)],
    ['where', a.whereText, b.whereText],
    ['events', [...a.on].join(', '), [...b.on].join(', ')],
    ['at', permille(a), permille(b)],
    ['per', span(a.perMs), span(b.perMs)],
    ['half-life', span(a.halfLifeMs), span(b.halfLifeMs)],
    ['after', span(a.afterMs), span(b.afterMs)],
    ['excluding', excluded(a), excluded(b)],
  ]);
  return a.fingerprint === b.fingerprint ? changes : [...changes, 'starts again without history'];
}

function modelChanges(a: Model, b: Model): readonly string[] {
  const textOf = ({ inputs }: Model, name: string): string | undefined =>
    inputs.find((input) => input.name === name)?.text;
  const wordsOf = ({ inputs }: Model, name: string): string | undefined => {
    const words = Object.entries(inputs.find((input) => input.name === name)?.wording ?? {});
    return words.length === 0 ? undefined : words.map(([language, text]) => `${language}: ${text}`).join(', ');
  };
  const names = new Set([...a.inputs, ...b.inputs].map(({ name }) => name));
  return fieldChanges([
    ['SHA-256', a.trained?.sha256, b.trained?.sha256],
    ['events', [...a.on].join(', '), [...b.on].join(', ')],
    ['where', a.whereText, b.whereText],
    ['control', printControl(a.control), printControl(b.control)],
    ['retrain', a.retrain, b.retrain],
    ...[...names].flatMap((name) => [
      [name, textOf(a, name), textOf(b, name)] as const,
      [`text of ${name}`, wordsOf(a, name), wordsOf(b, name)] as const,
    ]),
  ]);
}

function excluded({ excludesThis }: Feature): string | undefined {
  return excludesThis ? 'this' : undefined;
}

function span(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatDuration(ms);
}

function permille({ atPermille }: Feature): number | undefined {
  return atPermille === undefined ? undefined : atPermille / 10;
}
