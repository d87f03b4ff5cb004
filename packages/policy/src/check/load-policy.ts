import type { DeclaredList, Name } from '../compile/compiled.ts';
import type { Item } from '../document/item.ts';
import { scorePath } from '../facts/facts.ts';
import { type Check, newCheck } from '../document/check.ts';
import { compareText, type Mistakes, SourceFile, TooManyErrors } from '../document/mistakes.ts';
import { readFile, type SectionName } from '../document/read-file.ts';
import {
  type ActionTemplate,
  type HoldTerms,
  type Model,
  type Policy,
  type PolicyFile,
  type PolicyList,
  type PolicyResult,
  type Rule,
  type RuleGroup,
  shareWhole,
} from '../policy.ts';
import { printFact } from '../facts/print-fact.ts';
import { policyCostMax } from '../compile/bounds.ts';
import { checkCost } from './policy-cost.ts';
import { isArtifact } from '../document/artifact-file.ts';
import { type CustomActions, readActions } from '../sections/read-actions.ts';
import type { ReadFeature } from '../sections/feature-shape.ts';
import { readFeatures } from '../sections/read-features.ts';
import { readGroups } from '../sections/read-groups.ts';
import { readLists } from '../sections/read-lists.ts';
import { printControl } from '../sections/read-control.ts';
import { readModels, type ReadModel } from '../sections/read-models.ts';
import { checkOverrides, readOverrides } from '../sections/read-overrides.ts';
import { readPacks } from '../sections/read-packs.ts';
import { readParams, warnOfUnusedParams } from '../sections/read-params.ts';
import { type ReadRule, readRules, ruleBounds } from '../sections/read-rules.ts';
import { readTests } from '../sections/read-tests.ts';
import type { BusinessHours } from '../values/business-hours.ts';
import { SlotTable } from '../facts/slots.ts';
import { warnOfEmptyGroups, warnOfUnreached, warnOfUnreadLists } from '../lint/unused-definitions.ts';

/** More files than any team maintains by hand. A folder with more was probably given by mistake. */
const filesMax = 100;
const totalLengthMax = 4 * 1024 * 1024;

export interface LoadOptions {
  /** Names of available packs, to suggest a correction for a misspelt one. */
  readonly packNames?: readonly string[];
  /**
   * Tests have no effect on decisions: a stored version means the same without them, and a later release may read them
   * differently.
   */
  readonly withTests?: boolean;
  /** The most steps for one event, if they are fewer than `policyCostMax`. */
  readonly costMax?: number;
}

/**
 * Checks and compiles a policy folder as a whole: its files form one policy, in any order.
 *
 * Pure and synchronous: the same files give the same policy on every machine, in a server and in a browser. It never
 * throws, whatever the files contain, and its time and memory are bounded.
 *
 * @returns the policy with its warnings, or its mistakes by file, line and column: every one, or as many as were found
 *   up to the last allowed error
 */
export function loadPolicy(files: readonly PolicyFile[], options: LoadOptions = {}): PolicyResult {
  const check = newCheck();
  try {
    return checkAll(files, check, options);
  } catch (error) {
    if (!(error instanceof TooManyErrors)) throw error;
    return { ok: false, errors: check.mistakes.all() };
  }
}

function checkAll(
  files: readonly PolicyFile[],
  check: Check,
  { packNames = [], withTests = true, costMax = policyCostMax }: LoadOptions,
): PolicyResult {
  const { mistakes } = check;
  const ordered = files.toSorted((a, b) => compareText(a.path, b.path));
  if (refuseSize(ordered, mistakes)) return { ok: false, errors: mistakes.all() };

  const [artifacts, documents] = [ordered.filter(isArtifact), ordered.filter((file) => !isArtifact(file))];
  const read = documents.flatMap((file) => readFile(file, check) ?? []);
  // If one file can't be read, its declarations would be reported as missing in all others.
  if (read.length < documents.length) return { ok: false, errors: mistakes.all() };
  // The bank's own files come first: their names take precedence over those of packs.
  const own = read.filter((file) => file.pack === undefined);
  const inOrder = [...own, ...read.filter((file) => file.pack !== undefined)];
  const sections = (name: SectionName, of = inOrder): readonly Item[] =>
    of.map((file) => file[name]).filter((item) => item !== undefined && !item.empty) as readonly Item[];

  const packs = readPacks(sections('pack'), sections('use'), packNames);
  const params = readParams(sections('params'), check.params);
  const overrides = readOverrides(sections('overrides'));
  const slots = new SlotTable();
  const broken = new Set<string>();
  const lists = readLists(sections('lists'), slots, broken);
  const features = readFeatures(sections('features'), { slots, lists }, broken);
  const ofFeatures = new Map(namesOf(features));
  const models = readModels(sections('models'), artifacts, { slots, lists, broken, features: ofFeatures });
  const names = new Map([...ofFeatures, ...namesOf(models)]);
  const customActions = readActions(sections('actions'), packs);
  const { names: actions, declared, trusting, trustMethods, stepUps } = customActions;
  const groups = readGroups(sections('groups'));
  const fields = new Map([...overrides].map(([reason, override]) => [reason, override.fields]));
  const named = { actions, declared, groups, packs, overrides: fields };
  const readAll = readRules(sections('rules'), { slots, lists, broken, features: names }, named);
  const { rules, broken: brokenRules, holds } = readAll;
  const byReason = new Map(rules.map(({ rule }) => [rule.reason, rule]));
  checkOverrides(overrides, new Set([...byReason.keys(), ...brokenRules]));
  // A pack's own tests apply to the pack alone, as it was delivered.
  const testSections = withTests ? sections('tests', own.length === 0 ? read : own) : [];
  const tests = readTests(testSections, { byReason, broken: brokenRules, lists, actions });
  // A rule or feature may refer to one that did not check.
  if (mistakes.refuse) return { ok: false, errors: mistakes.all() };
  const cost = checkCost(rules, { features: [...features.values()], models: [...models.values()] }, costMax);
  if (cost === undefined) return { ok: false, errors: mistakes.all() };
  warnOfUnusedParams(sections('params'), check.params);
  warnOfIdle(sections, { features, models, rules, groups });
  warnOfUnreadArtifacts(artifacts, models, mistakes);

  const computed = computedBefore(features, models);
  const policy: Policy = {
    canonical: canonicalText({ ...computed, rules, lists, groups, actions: customActions }),
    slots,
    cost,
    ...computed,
    lists: [...lists.values()].map(policyList).toSorted((a, b) => compareText(a.name, b.name)),
    params,
    packs: [...packs.values()].map(({ mode: _mode, ...pack }) => pack),
    rules: rules.map(({ rule }) => rule),
    groups,
    actions,
    trusting,
    trustMethods,
    stepUps,
    holds,
    tests,
  };
  return { ok: true, policy, warnings: mistakes.all() };
}

/** What is computed before the rules, by name. */
function computedBefore(
  features: ReadonlyMap<string, ReadFeature>,
  models: ReadonlyMap<string, ReadModel>,
): Pick<Policy, 'features' | 'ratios' | 'models'> {
  const read = [...features.values()];
  return {
    features: read.flatMap(({ feature }) => feature ?? []).toSorted(byName),
    ratios: read.flatMap(({ ratio }) => ratio ?? []).toSorted(byName),
    models: [...models.values()].map(({ model }) => model).toSorted(byName),
  };
}

function refuseSize(files: readonly PolicyFile[], mistakes: Mistakes): boolean {
  const place = { file: new SourceFile(files[0]?.path ?? '', ''), offset: 0 };
  // The artifact of a model has a bound of its own.
  const total = files.reduce((sum, file) => sum + (isArtifact(file) ? 0 : file.text.length), 0);
  if (!files.some((file) => !isArtifact(file)))
    mistakes.add(place, { message: 'the policy has no files', suggestion: 'a .yaml file with rules:' });
  if (files.length > filesMax)
    mistakes.add(place, { message: `the policy has ${files.length} files`, suggestion: `at most ${filesMax}` });
  if (total > totalLengthMax)
    mistakes.add(place, { message: `the policy has ${total} characters`, suggestion: `at most ${totalLengthMax}` });
  return mistakes.refuse;
}

/** Warns of everything that has no effect. */
function warnOfIdle(
  sections: (name: SectionName) => readonly Item[],
  of: {
    readonly features: ReadonlyMap<string, ReadFeature>;
    readonly models: ReadonlyMap<string, ReadModel>;
    readonly rules: readonly ReadRule[];
    readonly groups: readonly RuleGroup[];
  },
): void {
  const { features, models, rules, groups } = of;
  warnOfUnused(features, models, rules);
  warnOfScores(sections('rules'), rules, groups);
  warnOfUnreadLists(sections('lists'), features, rules);
  warnOfEmptyGroups(sections('groups'), rules);
  warnOfUnreached(rules, groups);
}

/** A feature costs time and memory on every event, even if no rule reads it. */
function warnOfUnused(
  features: ReadonlyMap<string, ReadFeature>,
  models: ReadonlyMap<string, ReadModel>,
  rules: readonly ReadRule[],
): void {
  const used = new Set(rules.flatMap((rule) => rule.uses));
  for (const { model, names, keyItem } of models.values()) {
    if (!names.some(({ path }) => used.has(path)))
      keyItem.warn(`no rule reads model.${model.name}`, 'remove it until a rule reads it');
    for (const path of model.reads) used.add(path);
  }
  for (const [name, { ratio }] of features) {
    if (ratio !== undefined && used.has(name)) used.add(ratio.of.name).add(ratio.to.name);
  }
  for (const { names, keyItem } of features.values()) {
    const [{ path: name }] = names;
    if (!names.some(({ path }) => used.has(path)))
      keyItem.warn(`no rule reads ${name}`, 'remove it until a rule reads it');
  }
}

/** A file that no model names: it would be stored with each version. */
function warnOfUnreadArtifacts(
  artifacts: readonly PolicyFile[],
  models: ReadonlyMap<string, ReadModel>,
  mistakes: Mistakes,
): void {
  const named = new Set([...models.values()].map(({ model }) => model.trained?.artifact));
  for (const { path } of artifacts) {
    if (named.has(path)) continue;
    const place = { file: new SourceFile(path, ''), offset: 0 };
    mistakes.add(place, { message: `no model reads ${path}`, suggestion: 'remove it', severity: 'warning' });
  }
}

/** The names that conditions use. */
function namesOf(read: ReadonlyMap<string, { readonly names: readonly Name[] }>): readonly (readonly [string, Name])[] {
  return [...read.values()].flatMap(({ names }) => names.map((name) => [name.path, name] as const));
}

/** `event.score` adds up the scores of earlier groups. If none of their rules has a score, it is always 0. */
function warnOfScores(sections: readonly Item[], rules: readonly ReadRule[], groups: readonly RuleGroup[]): void {
  const places = new Map(groups.map(({ name }, place) => [name, place]));
  const placeOf = ({ rule }: ReadRule): number => places.get(rule.group ?? '') ?? -1;
  const first = Math.min(...rules.filter(({ rule }) => rule.score > 0).map(placeOf));
  const idle = rules.find((rule) => rule.uses.includes(scorePath) && placeOf(rule) <= first);
  if (idle === undefined) return;
  const { reason } = idle.rule;
  sections[0]?.warn(
    `rule ${reason} reads ${scorePath}, but no rule of an earlier group has a score`,
    'a group with a larger priority',
  );
}

/** How a feature is computed from its stored state, where the fingerprint does not cover it. */
function readingOf({
  kind,
  keeps,
  atPermille,
  perMs,
  afterMs,
  excludesThis,
}: Policy['features'][number]): readonly (string | number)[] {
  if (afterMs !== undefined) return [afterMs];
  return [
    ...(kind === keeps ? [] : [kind]),
    ...(atPermille === undefined ? [] : [atPermille]),
    ...(perMs === undefined ? [] : [perMs]),
    ...(excludesThis ? ['excluding this'] : []),
  ];
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return compareText(a.name, b.name);
}

/**
 * Everything that affects decisions, in a fixed order. The order of names in the files makes no difference; tests are
 * not included.
 */
function canonicalText(parts: {
  readonly features: Policy['features'];
  readonly ratios: Policy['ratios'];
  readonly models: Policy['models'];
  readonly rules: readonly ReadRule[];
  readonly lists: ReadonlyMap<string, DeclaredList>;
  readonly groups: readonly RuleGroup[];
  readonly actions: CustomActions;
}): string {
  const lists = [...parts.lists.values()].map(({ name, type, of, items, live }) => ({
    name,
    type,
    items: [...items].map((item) => printFact(item, type)).toSorted(compareText),
    ...(of.length > 1 ? { of } : {}),
    ...(live === undefined ? {} : { live: live.max }),
  }));
  return JSON.stringify({
    features: parts.features.map((feature) => [feature.name, feature.fingerprint, ...readingOf(feature)]),
    ...(parts.ratios.length === 0 ? {} : { ratios: parts.ratios.map(({ name, of, to }) => [name, of.name, to.name]) }),
    ...(parts.models.length === 0 ? {} : { models: parts.models.map(modelText) }),
    lists: lists.toSorted((a, b) => compareText(a.name, b.name)),
    rules: parts.rules.map(({ rule }) => ({
      reason: rule.reason,
      name: rule.name,
      on: [...rule.on],
      when: rule.text,
      actions: rule.then.map(({ action, format, message, hold }) => ({
        action,
        format,
        message,
        ...(hold === undefined ? {} : { hold: holdText(hold) }),
      })),
      mode: rule.mode,
      cooldown: rule.cooldown,
      maxActions: rule.maxActions,
      ...withoutDefaults(rule),
    })),
    ...(parts.groups.length === 0 ? {} : { groups: parts.groups }),
    ...actionsWithMeaning(parts.actions),
  });
}

function modelText({ name, on, whereText, trained, inputs, retrain, control }: Model): object {
  return {
    name,
    on: [...on],
    where: whereText,
    sha256: trained?.sha256,
    retrain,
    inputs: inputs.map((input) => [input.name, input.text]),
    control: printControl(control),
  };
}

/** The actions that have a meaning for the engine. */
function actionsWithMeaning({ trusting, trustMethods, stepUps }: CustomActions): object {
  const others = [...stepUps].filter((action) => !trusting.has(action));
  return {
    ...(trusting.size === 0 ? {} : { trusting: [...trusting].toSorted((a, b) => a - b) }),
    ...(trustMethods.size === 0 ? {} : { trustMethods: [...trustMethods].toSorted(([a], [b]) => a - b) }),
    ...(others.length === 0 ? {} : { stepUps: others.toSorted((a, b) => a - b) }),
  };
}

function holdText({ release, reject, withinMs, hours, otherwise }: HoldTerms): object {
  const ender = ({ action, format, message }: ActionTemplate): object => ({ action, format, message });
  return {
    release: ender(release),
    reject: ender(reject),
    withinMs,
    otherwise,
    ...(hours === undefined ? {} : { hours: hoursText(hours) }),
  };
}

function hoursText({ days, fromMs, toMs, holidays }: BusinessHours): object {
  const inOrder = (numbers: ReadonlySet<number>): readonly number[] => [...numbers].toSorted((a, b) => a - b);
  return { days: inOrder(days), fromMs, toMs, holidays: inOrder(holidays) };
}

function policyList({ name, description, of, type, items, networks, live }: DeclaredList): PolicyList {
  return { name, description, of, type, isAddress: networks !== undefined, declared: items.size, live };
}

/** Only the fields that differ from their defaults: a policy that uses none of them keeps its text, and so its hash. */
function withoutDefaults({ group, priority, score, share, maxActionsPerClient }: Rule): Partial<Rule> {
  return {
    ...(group === undefined ? {} : { group }),
    ...(priority === ruleBounds.priorityMax ? {} : { priority }),
    ...(score === 0 ? {} : { score }),
    ...(share === shareWhole ? {} : { share }),
    ...(maxActionsPerClient === undefined ? {} : { maxActionsPerClient }),
  };
}
