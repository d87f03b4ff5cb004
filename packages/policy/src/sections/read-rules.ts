import type { EventKind } from '@ringfence/contract';
import { Compiler } from '../compile/compile.ts';
import type { Compiled, Vocabulary } from '../compile/compiled.ts';
import { predicate } from '../compile/logic.ts';
import { conditionsOf } from '../explain/conditions.ts';
import type { Item } from '../document/item.ts';
import type { Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import { nearest } from '../check/nearest.ts';
import {
  type ActionTemplate,
  type HoldTerms,
  type Read,
  type Rule,
  type RuleGroup,
  shareWhole,
  type SummaryTemplate,
} from '../policy.ts';
import { ruleVocabulary, type Words } from '../facts/vocabulary.ts';
import { warnOfSenseless } from '../lint/senseless-conditions.ts';
import { commonKinds, kindNames, readKinds } from './kinds.ts';
import { readCooldown, readMaxActions, readShare } from './spans.ts';
import type { Overrides } from './read-overrides.ts';
import type { UsedPack } from './read-packs.ts';
import type { DeclaredAction } from './read-actions.ts';
import { type OwnActions, readOwnActions } from './read-holds.ts';
import { readSummary } from './read-summary.ts';
import { deadIn, readThen } from './read-then.ts';

export const ruleBounds = {
  /**
   * Each is evaluated for each event of its kinds; at some 100 ns apiece they stay far below the cost of storing the
   * event.
   */
  rules: 1_000,
  nameLength: 200,
  descriptionLength: 2_000,
  reasonMax: 2_147_483_647,
  scoreMax: 1_000,
  /** The default priority: evaluated last. */
  priorityMax: 1_000,
} as const;

export interface ReadRule {
  readonly rule: Rule;
  readonly item: Item;
  /** Facts and features that its condition, its messages and its summary read. */
  readonly uses: readonly string[];
}

/** Rules of all files. */
export interface ReadRules {
  /** In the order of their reasons. */
  readonly rules: readonly ReadRule[];
  /** Reasons of rules that don't check. */
  readonly broken: ReadonlySet<number>;
  /** Actions that hold a payment, with their terms. */
  readonly holds: ReadonlyMap<number, HoldTerms>;
}

/** `rules:` of all files. */
export function readRules(
  sections: readonly Item[],
  words: Words,
  named: Pick<RuleContext, 'actions' | 'groups' | 'packs' | 'overrides'> & {
    readonly declared: ReadonlyMap<number, DeclaredAction>;
  },
): ReadRules {
  const vocabulary = ruleVocabulary(words);
  const base = { vocabulary, compiler: new Compiler(vocabulary), ...named };
  const own = readOwnActions(named.declared, base);
  const context = { ...base, own };
  const items = sections.flatMap((section) => section.list('rules', ruleBounds.rules) ?? []);
  const written = items.flatMap((item) => readRule(item, context) ?? []);
  failRepeated(written);
  const rules = written.flatMap(({ read }) => read ?? []);
  const broken = written.flatMap(({ read, reason }) => (read === undefined && reason !== undefined ? reason : []));
  if (rules.length > ruleBounds.rules)
    sections[0]?.fail(`there are ${rules.length} rules`, `at most ${ruleBounds.rules}`);
  return {
    rules: rules.toSorted((a, b) => a.rule.reason - b.rule.reason),
    broken: new Set(broken),
    holds: own.holds,
  };
}

/** The identity of a rule, and the whole rule if it checks. */
interface WrittenRule {
  readonly item: Item;
  readonly reason: number | undefined;
  readonly name: string | undefined;
  readonly pack: string | undefined;
  readonly read: ReadRule | undefined;
}

/** Of two rules with one reason or one name, the second is reported, even if it has other mistakes. */
function failRepeated(written: readonly WrittenRule[]): void {
  const reasons = new Map<number | undefined, WrittenRule>();
  const names = new Map<string, Item>();
  for (const rule of written) {
    const { item, reason, name, pack } = rule;
    const taken = reasons.get(reason);
    if (taken !== undefined) {
      const by = taken.name === undefined ? 'a rule without a name' : `"${taken.name}"`;
      item.fail(`reason ${reason} is already used by ${by} (${taken.item.spot})`, 'another number');
    } else if (reason !== undefined) reasons.set(reason, rule);
    if (name === undefined) continue;
    const fullName = pack === undefined ? name : `${pack}: ${name}`;
    const namesake = names.get(fullName);
    if (namesake === undefined) names.set(fullName, item);
    else if (taken === undefined)
      item.fail(`there are two rules "${name}": this one and ${namesake.spot}`, 'another name');
  }
}

export interface RuleContext {
  readonly vocabulary: Vocabulary;
  readonly compiler: Compiler;
  readonly actions: ReadonlyMap<number, string>;
  readonly own: OwnActions;
  readonly groups: readonly RuleGroup[];
  /** By the path of their file. */
  readonly packs: ReadonlyMap<string, UsedPack>;
  readonly overrides: ReadonlyMap<number, Overrides>;
}

const fieldNames = [
  'reason',
  'name',
  'description',
  'catches',
  'falsePositives',
  'summary',
  'on',
  'when',
  'then',
  'mode',
  'group',
  'priority',
  'score',
  'share',
  'cooldown',
  'maxActions',
] as const;
const modes: readonly Rule['mode'][] = ['live', 'shadow', 'off'];

function readRule(item: Item, context: RuleContext): WrittenRule | undefined {
  const fields = item.fields('a rule', fieldNames);
  if (fields === undefined) return undefined;
  const reason = item.required(
    fields.reason,
    ['the rule has no reason', 'reason: 101, the number that the webhook carries'],
    (field) => field.integer('reason', { min: 1, max: ruleBounds.reasonMax }),
  );
  const name = item.required(fields.name, ['the rule has no name', 'name: what it catches'], (field) =>
    field.text('name', ruleBounds.nameLength),
  );
  const pack = context.packs.get(item.file.path);
  const override = context.overrides.get(reason ?? 0);
  // An override of a single rule takes precedence over the mode of its pack.
  const packMode = override?.mode === undefined ? pack?.mode : undefined;
  const head = readHead({ ...fields, ...override }, context.groups, packMode);
  const body = readBody(item, fields, context);
  const written = { item, reason, name, pack: pack?.name, read: undefined };
  if (reason === undefined || name === undefined || head === undefined || body === undefined) return written;
  const { when, on, then, summary } = body;
  if (head.cooldown?.per === 'client' && then.some(({ hold }) => hold !== undefined)) {
    fields.cooldown?.fail(
      'a rule that holds payments has a cooldown per client: the next payment would look approved',
      'no cooldown: the same payment sent again joins its hold',
    );
    return written;
  }
  const reads = readsOf(when.compiled, context.vocabulary);
  const rule: Rule = {
    reason,
    name,
    pack: pack?.name,
    ...head,
    summary,
    on,
    when: predicate(when.compiled),
    condition: when.compiled,
    text: when.text,
    conditions: when.conditions,
    reads,
    // oxlint-disable-next-line unicorn/no-thenable -- the policy's own word; a list is nothing that can be awaited
    then,
    file: item.file.path,
    line: item.line,
  };
  const uses = [...reads.map(({ path }) => path), ...[...then, ...summary].flatMap((text) => text.reads)];
  return { ...written, read: { rule, item, uses } };
}

type Fields = Partial<Record<(typeof fieldNames)[number], Item>>;
type Place = Pick<Rule, 'group' | 'priority' | 'score'>;
type Restraint = Pick<Rule, 'share' | 'cooldown' | 'maxActions' | 'maxActionsPerClient'>;
type Told = 'description' | 'catches' | 'falsePositives' | 'mode';
type Head = Pick<Rule, Told> & Place & Restraint;

/** Fields about its description, its order and its limits. */
function readHead(fields: Fields, groups: readonly RuleGroup[], packMode: Rule['mode'] | undefined): Head | undefined {
  const given = fields.mode === undefined ? 'live' : fields.mode.choice('mode', modes);
  const mode = packMode ?? given;
  const description = fields.description?.text('description', ruleBounds.descriptionLength);
  const catches = fields.catches?.text('catches', ruleBounds.descriptionLength);
  const falsePositives = fields.falsePositives?.text('falsePositives', ruleBounds.descriptionLength);
  const place = readPlace(fields, groups);
  const restraint = readRestraint(fields);
  if (mode === undefined || place === undefined) return undefined;
  return { description, catches, falsePositives, mode, ...place, ...restraint };
}

function readPlace(fields: Fields, groups: readonly RuleGroup[]): Place | undefined {
  const priority = fields.priority?.integer('priority', { min: 1, max: ruleBounds.priorityMax });
  const score = fields.score?.integer('score', { min: 0, max: ruleBounds.scoreMax });
  const group = fields.group?.text('group', ruleBounds.nameLength);
  if (group !== undefined && !groups.some(({ name }) => name === group)) {
    const names = groups.map(({ name }) => name);
    const declared =
      nearest(group, names) ?? (names.length === 0 ? 'declare it under groups:' : `one of ${names.join(', ')}`);
    return fields.group?.fail(`there is no group ${group}`, declared);
  }
  return { group, priority: priority ?? ruleBounds.priorityMax, score: score ?? 0 };
}

function readRestraint(fields: Fields): Restraint {
  return {
    share: (fields.share && readShare(fields.share, 'clients')) ?? shareWhole,
    cooldown: fields.cooldown && readCooldown(fields.cooldown),
    maxActions: undefined,
    maxActionsPerClient: undefined,
    ...(fields.maxActions && readMaxActions(fields.maxActions)),
  };
}

interface Body {
  readonly when: When;
  readonly on: ReadonlySet<EventKind>;
  readonly then: readonly ActionTemplate[];
  readonly summary: readonly SummaryTemplate[];
}

/** Its condition, its actions and its summary. */
function readBody(item: Item, fields: Fields, context: RuleContext): Body | undefined {
  const when = item.required(fields.when, ['the rule has no condition', 'when: order.amount > 1000'], (field) =>
    readWhen(field, context),
  );
  const on =
    when === undefined
      ? fields.on && readKinds(fields.on)
      : readOn(item, fields.on, [when.compiled, context.vocabulary]);
  const then = item.required(fields.then, ['the rule has no action', 'then: { action: 2 }'], (field) =>
    readThen(field, { ...context, on }),
  );
  const summary = fields.summary === undefined ? [] : readLiving(fields.summary, { ...context, on });
  if (when === undefined || on === undefined || then === undefined || summary === undefined) return undefined;
  // oxlint-disable-next-line unicorn/no-thenable -- as above
  return { when, on, then, summary };
}

/** A summary that shows nothing which the rule's events never have. */
function readLiving(
  item: Item,
  context: RuleContext & { readonly on: ReadonlySet<EventKind> | undefined },
): readonly SummaryTemplate[] | undefined {
  const summary = readSummary(item, context);
  const dead = deadIn(summary?.flatMap(({ reads }) => reads) ?? [], context);
  return dead === undefined ? summary : item.fail(dead, 'a fact of these events');
}

interface When {
  readonly text: string;
  readonly compiled: Compiled;
  readonly conditions: Rule['conditions'];
}

function readWhen(item: Item, context: RuleContext): When | undefined {
  const expression = item.expression('when');
  if (expression === undefined) return undefined;
  const compiled = context.compiler.condition(expression.node, expression.report);
  if (compiled === undefined) return undefined;
  if (compiled.constant)
    item.warn(
      `the condition reads no fact: it is ${compiled.run([]) === true ? 'always' : 'never'} true`,
      'a condition that reads a fact',
    );
  warnOfSenseless(expression.node, context.compiler, expression.report);
  return { text: printExpression(expression.node), compiled, conditions: partsOf(expression.node, context) };
}

/** The comparisons in a condition, for explanations. All of them are compiled already, and are found by their text. */
function partsOf(node: Expression, context: RuleContext): Rule['conditions'] {
  return conditionsOf(node).map((part) => {
    const compiled = context.compiler.condition(part, () => undefined);
    return {
      text: printExpression(part),
      holds: compiled === undefined ? () => undefined : predicate(compiled),
      reads: compiled === undefined ? [] : readsOf(compiled, context.vocabulary),
    };
  });
}

/** The paths that it reads, each once, in the order of its text. */
function readsOf(compiled: Compiled, vocabulary: Vocabulary): readonly Read[] {
  const names = [...new Set(compiled.reads)].map((path) => vocabulary.find(path)).filter((name) => name !== undefined);
  return names.map(({ path, type }) => ({ path, slot: vocabulary.slotOf(path), type }));
}

/** The kinds of event that it evaluates: the declared ones, or all that can have the facts that its condition needs. */
function readOn(
  item: Item,
  on: Item | undefined,
  [when, vocabulary]: readonly [Compiled, Vocabulary],
): ReadonlySet<EventKind> | undefined {
  const needs = [...new Set(when.needs)].map((path) => vocabulary.find(path)).filter((name) => name !== undefined);
  if (on === undefined) {
    const inferred = commonKinds(needs.map((name) => name.on));
    return inferred.size > 0
      ? inferred
      : item.fail('no event has all the facts that the condition reads', 'on: [operation]');
  }
  const given = readKinds(on);
  if (given === undefined) return undefined;
  const dead = needs.find((name) => ![...given].some((kind) => name.on.has(kind)));
  if (dead === undefined) return given;
  const where = dead.on.size === 0 ? 'no event has it' : `on: [${[...dead.on].join(', ')}]`;
  return on.fail(`${kindNames(given)} never have ${dead.path}`, where);
}
