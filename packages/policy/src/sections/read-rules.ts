import type { EventKind } from '@ringfence/contract';
import { Compiler } from '../compile/compile.ts';
import type { Compiled, Vocabulary } from '../compile/compiled.ts';
import { predicate } from '../compile/logic.ts';
import { conditionsOf } from '../conditions.ts';
import type { Item } from '../document/item.ts';
import type { Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import { nearest } from '../nearest.ts';
import { type ActionTemplate, type Read, type Rule, type RuleGroup, shareWhole } from '../policy.ts';
import { ruleVocabulary, type Words } from '../vocabulary.ts';
import { commonKinds, kindNames, readKinds } from './kinds.ts';
import { readCooldown, readMaxActions, readShare } from './spans.ts';
import type { Overrides } from './read-overrides.ts';
import type { UsedPack } from './read-packs.ts';
import { readThen } from './read-then.ts';

export const ruleBounds = {
  /** Each runs for each event of its kinds; at some 100 ns apiece they stay far below the cost of storing the event. */
  rules: 1_000,
  nameLength: 200,
  descriptionLength: 2_000,
  reasonMax: 2_147_483_647,
  scoreMax: 1_000,
  /** Of a rule that states none: asked last. */
  priorityMax: 1_000,
} as const;

export interface ReadRule {
  readonly rule: Rule;
  /** Facts and features that its condition and its messages read. */
  readonly uses: readonly string[];
}

/** Rules of all files. */
export interface ReadRules {
  /** In the order of their reasons. */
  readonly rules: readonly ReadRule[];
  /** Reasons of rules that don't check. */
  readonly broken: ReadonlySet<number>;
}

/** `rules:` of all files. */
export function readRules(
  sections: readonly Item[],
  words: Words,
  named: Pick<RuleContext, 'actions' | 'groups' | 'packs' | 'overrides'>,
): ReadRules {
  const vocabulary = ruleVocabulary(words);
  const context = { vocabulary, compiler: new Compiler(vocabulary), ...named };
  const rules = new Map<number, ReadRule>();
  const names = new Map<string, ReadRule>();
  const broken = new Set<number>();
  for (const section of sections) {
    for (const item of section.list('rules', ruleBounds.rules) ?? []) {
      const read = readRule(item, context, broken);
      if (read === undefined) continue;
      const { reason, name, pack } = read.rule;
      const fullName = pack === undefined ? name : `${pack}: ${name}`;
      const [taken, namesake] = [rules.get(reason), names.get(fullName)];
      if (taken !== undefined)
        item.fail(`reason ${reason} is taken by "${taken.rule.name}" (${spotOf(taken)})`, 'another number');
      else rules.set(reason, read);
      if (taken === undefined && namesake !== undefined)
        item.fail(`there are two rules "${name}": this one and ${spotOf(namesake)}`, 'another name');
      if (namesake === undefined) names.set(fullName, read);
    }
  }
  if (rules.size > ruleBounds.rules) sections[0]?.fail(`there are ${rules.size} rules`, `at most ${ruleBounds.rules}`);
  return { rules: [...rules.values()].toSorted((a, b) => a.rule.reason - b.rule.reason), broken };
}

function spotOf({ rule }: ReadRule): string {
  return `${rule.file}, line ${rule.line}`;
}

export interface RuleContext {
  readonly vocabulary: Vocabulary;
  readonly compiler: Compiler;
  readonly actions: ReadonlyMap<number, string>;
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

function readRule(item: Item, context: RuleContext, broken: Set<number>): ReadRule | undefined {
  const fields = item.fields('a rule', fieldNames);
  if (fields === undefined) return undefined;
  const reason = item.required(
    fields.reason,
    ['the rule has no reason', 'reason: 101, the number that the webhook carries'],
    (field) => field.integer('reason', { min: 1, max: ruleBounds.reasonMax }),
  );
  const pack = context.packs.get(item.file.path);
  const override = context.overrides.get(reason ?? 0);
  // An override of one rule counts before what is said of its pack as a whole.
  const packMode = override?.mode === undefined ? pack?.mode : undefined;
  const head = readHead(item, { ...fields, ...override }, { groups: context.groups, pack, packMode });
  const body = readBody(item, fields, context);
  if (reason !== undefined && (head === undefined || body === undefined)) broken.add(reason);
  if (reason === undefined || head === undefined || body === undefined) return undefined;
  const { when, on, then } = body;
  const reads = readsOf(when.compiled, context.vocabulary);
  const rule: Rule = {
    reason,
    ...head,
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
  const uses = [...reads.map(({ path }) => path), ...then.flatMap((action) => action.reads)];
  return { rule, uses };
}

type Fields = Partial<Record<(typeof fieldNames)[number], Item>>;
type Place = Pick<Rule, 'group' | 'priority' | 'score'>;
type Restraint = Pick<Rule, 'share' | 'cooldown' | 'maxActions' | 'maxActionsPerClient'>;
type Told = 'name' | 'description' | 'catches' | 'falsePositives' | 'pack' | 'mode';
type Head = Pick<Rule, Told> & Place & Restraint;

/** What it is called, when it is asked, and how it is held back. */
function readHead(
  item: Item,
  fields: Fields,
  {
    groups,
    pack,
    packMode,
  }: {
    readonly groups: readonly RuleGroup[];
    readonly pack: UsedPack | undefined;
    readonly packMode: Rule['mode'] | undefined;
  },
): Head | undefined {
  const name = item.required(fields.name, ['the rule has no name', 'name: what it catches'], (field) =>
    field.text('name', ruleBounds.nameLength),
  );
  const given = fields.mode === undefined ? 'live' : fields.mode.choice('mode', modes);
  const mode = packMode ?? given;
  const description = fields.description?.text('description', ruleBounds.descriptionLength);
  const catches = fields.catches?.text('catches', ruleBounds.descriptionLength);
  const falsePositives = fields.falsePositives?.text('falsePositives', ruleBounds.descriptionLength);
  const place = readPlace(fields, groups);
  if (name === undefined || mode === undefined || place === undefined) return undefined;
  return { name, description, catches, falsePositives, pack: pack?.name, mode, ...place, ...readRestraint(fields) };
}

function readPlace(fields: Fields, groups: readonly RuleGroup[]): Place | undefined {
  const group = fields.group?.text('group', ruleBounds.nameLength);
  if (group !== undefined && !groups.some(({ name }) => name === group)) {
    const names = groups.map(({ name }) => name);
    const declared =
      nearest(group, names) ?? (names.length === 0 ? 'declare it under groups:' : `one of ${names.join(', ')}`);
    return fields.group?.fail(`there is no group ${group}`, declared);
  }
  const priority = fields.priority?.integer('priority', { min: 1, max: ruleBounds.priorityMax });
  const score = fields.score?.integer('score', { min: 0, max: ruleBounds.scoreMax });
  return { group, priority: priority ?? ruleBounds.priorityMax, score: score ?? 0 };
}

function readRestraint(fields: Fields): Restraint {
  return {
    share: (fields.share && readShare(fields.share)) ?? shareWhole,
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
}

/** When it fires, and what it asks for. */
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
  // oxlint-disable-next-line unicorn/no-thenable -- as above
  return when === undefined || on === undefined || then === undefined ? undefined : { when, on, then };
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
      `the condition reads no fact: it ${compiled.run([]) === true ? 'always' : 'never'} holds`,
      'a condition over facts',
    );
  return { text: printExpression(expression.node), compiled, conditions: partsOf(expression.node, context) };
}

/** The comparisons that a condition is made of, for explanations. All of them were compiled already, and are known by their text. */
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

/** What it reads, each once, in the order of its text. */
function readsOf(compiled: Compiled, vocabulary: Vocabulary): readonly Read[] {
  const names = [...new Set(compiled.reads)].map((path) => vocabulary.find(path)).filter((name) => name !== undefined);
  return names.map(({ path, type }) => ({ path, slot: vocabulary.slotOf(path), type }));
}

/** The kinds of event that it looks at: those that are named, or all that can have what its condition needs. */
function readOn(
  item: Item,
  on: Item | undefined,
  [when, vocabulary]: readonly [Compiled, Vocabulary],
): ReadonlySet<EventKind> | undefined {
  const needs = [...new Set(when.needs)].map((path) => vocabulary.find(path)).filter((name) => name !== undefined);
  if (on === undefined) {
    const inferred = commonKinds(needs.map((name) => name.on));
    return inferred.size > 0 ? inferred : item.fail('no event has all that the condition reads', 'on: [operation]');
  }
  const given = readKinds(on);
  if (given === undefined) return undefined;
  const dead = needs.find((name) => ![...given].some((kind) => name.on.has(kind)));
  if (dead === undefined) return given;
  const where = dead.on.size === 0 ? 'no event has it' : `on: [${[...dead.on].join(', ')}]`;
  return on.fail(`${kindNames(given)} never have ${dead.path}`, where);
}
