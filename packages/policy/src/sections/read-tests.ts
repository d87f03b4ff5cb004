import { dayMs, type EventKind, eventKinds } from '@ringfence/contract';
import type { DeclaredList } from '../compile/compiled.ts';
import { readActionNumber } from './read-actions.ts';
import type { Item } from '../document/item.ts';
import { formatDuration, parseDuration } from '../values/duration.ts';
import { type FactDefinition, factDefinition, factDefinitions } from '../facts/facts.ts';
import { readItem } from '../facts/item-text.ts';
import { nearest, nearestNumber } from '../check/nearest.ts';
import type { FactType } from '../facts/fact-value.ts';
import type { PolicyTest, Rule, TestOutcome } from '../policy.ts';
import { isZoneName, zoneMistake } from '../zones/zones.ts';
import { readTestBody } from './read-test-body.ts';
import { readTestOutcome } from './read-test-outcome.ts';

export const testBounds = {
  tests: 2_000,
  /** Enough for a test that a person writes; use backtests for longer histories. */
  given: 200,
  expect: 50,
  /** The longest time span of a test: the longest window, twice. */
  atMsMax: 180 * dayMs,
  nameLength: 200,
  listItems: 100,
} as const;

/** Rules that a test can expect. */
export interface KnownRules {
  readonly byReason: ReadonlyMap<number, Rule>;
  /** Reasons of rules that don't check: expectations of them are not checked. */
  readonly broken: ReadonlySet<number>;
  readonly lists: ReadonlyMap<string, DeclaredList>;
  /** Names of custom actions. */
  readonly actions: ReadonlyMap<number, string>;
}

/** `tests:` of all files. */
export function readTests(sections: readonly Item[], rules: KnownRules): readonly PolicyTest[] {
  const names = new Set<string>();
  const items = sections.flatMap((section) => section.list('tests', testBounds.tests) ?? []);
  return items.flatMap((item) => readTest(item, rules, names) ?? []);
}

/** @param names the names of the tests before it; its own is added */
function readTest(item: Item, rules: KnownRules, names: Set<string>): PolicyTest | undefined {
  const fields = item.fields('a test', ['name', 'timezone', 'lists', 'given', 'expect']);
  if (fields === undefined) return undefined;
  const name = item.required(fields.name, ['the test has no name', 'name: what it shows'], (field) =>
    field.text('name', testBounds.nameLength),
  );
  if (name !== undefined && names.has(name)) item.fail(`there are two tests "${name}"`, 'another name');
  if (name !== undefined) names.add(name);
  const timezone = fields.timezone && readZone(fields.timezone);
  const givenItems = item.required(
    fields.given,
    ['the test gives no events', 'given: [{ at: +0s, login: { … } }]'],
    (field) => field.list('given', testBounds.given),
  );
  const expectItems = item.required(
    fields.expect,
    ['the test has no expect', 'expect: [] if nothing should fire'],
    (field) => field.list('expect', testBounds.expect),
  );
  const lists = fields.lists === undefined ? {} : readListItems(fields.lists, rules.lists);
  const steps = givenItems && readAll(givenItems, (one) => readStep(one, rules));
  const expect = expectItems && readAll(expectItems, (one) => readExpectation(one, rules));
  if (name === undefined || lists === undefined || steps === undefined || expect === undefined) return undefined;
  const late = steps.findIndex((step, at) => step.atMs < (steps[at - 1]?.atMs ?? 0));
  if (late !== -1)
    return givenItems?.[late]?.fail(
      'the events are not in the order in which they arrive',
      'at: not before the event above it',
    );
  const given = steps.filter((step) => 'kind' in step);
  const outcomes = steps.filter((step) => 'outcome' in step);
  const executed = steps.filter((step) => 'reason' in step && !('outcome' in step)) as readonly Executed[];
  return { name, timezone, lists, file: item.file.path, line: item.line, given, executed, outcomes, expect };
}

/** `lists: { mules: [B1/100] }`: the initial items of live lists. */
function readListItems(item: Item, declared: ReadonlyMap<string, DeclaredList>): PolicyTest['lists'] | undefined {
  const entries = item.entries('lists')?.map(({ key, keyItem, value }) => {
    const list = declared.get(key);
    if (list?.live === undefined)
      return keyItem.fail(
        `there is no live list ${key}`,
        nearest(key, [...declared.keys()]) ?? 'declare it with live: true',
      );
    const items = value.list('items', testBounds.listItems)?.map((one) => readListItem(one, list));
    return items === undefined || items.includes(undefined) ? undefined : ([key, items as readonly string[]] as const);
  });
  const known = entries?.filter((entry) => entry !== undefined);
  return known === undefined || known.length < (entries?.length ?? 0) ? undefined : Object.fromEntries(known);
}

function readListItem(item: Item, list: DeclaredList): string | undefined {
  const parts = item.isList
    ? item.list('an item', 2)?.map((part) => part.word('an item', 'a text'))
    : [item.word('an item', 'a text')];
  if (parts === undefined || parts.includes(undefined)) return undefined;
  const read = readItem({ ...list, isAddress: list.networks !== undefined }, parts as readonly string[]);
  return read.ok ? read.text : item.fail(`${parts.join(', ')} can't be on lists.${list.name}`, read.expected);
}

function readZone(item: Item): string | undefined {
  const name = item.word('timezone', 'an IANA time zone, such as America/Mexico_City');
  return name === undefined || isZoneName(name)
    ? name
    : item.fail(
        `${name} is not a time zone`,
        zoneMistake(name)?.suggestion ?? 'its IANA name, such as America/Mexico_City',
      );
}

function readAll<Value>(items: readonly Item[], read: (item: Item) => Value | undefined): readonly Value[] | undefined {
  const values = items.map(read);
  const known = values.filter((value) => value !== undefined);
  return known.length < values.length ? undefined : known;
}

type GivenEvent = PolicyTest['given'][number];
type Executed = PolicyTest['executed'][number];

/**
 * `{ at: +5s, operation: { … } }`, `{ at: +6s, executed: { reason: 301, action: 2 } }`, or
 * `{ at: +10s, outcome: { outcome: stepUpPassed, reason: 301 } }`.
 */
function readStep(item: Item, rules: KnownRules): GivenEvent | Executed | TestOutcome | undefined {
  const fields = item.fields('an event', ['at', 'facts', 'executed', 'outcome', ...eventKinds]);
  if (fields === undefined) return undefined;
  const given = (['executed', 'outcome', ...eventKinds] as const).filter((kind) => fields[kind] !== undefined);
  const [kind] = given;
  const body = kind === undefined ? undefined : fields[kind];
  if (kind === undefined || body === undefined || given.length > 1) {
    return item.fail(
      'an event is a login, a logout, an operation, executed or an outcome',
      '{ at: +5s, operation: { … } }',
    );
  }
  const atMs = fields.at === undefined ? 0 : readAt(fields.at);
  if (kind === 'executed') {
    const action = readAction(body, rules);
    return atMs === undefined || action === undefined ? undefined : { atMs, ...action };
  }
  if (kind === 'outcome') {
    const outcome = readTestOutcome(body, rules);
    return atMs === undefined || outcome === undefined ? undefined : { atMs, ...outcome };
  }
  const facts = fields.facts === undefined ? {} : readFacts(fields.facts, kind);
  const read = body.isMapping
    ? readTestBody(kind, body)
    : body.fail(`${kind} is a mapping`, "the body in the wire's own shape");
  return atMs === undefined || facts === undefined || read === undefined
    ? undefined
    : { atMs, kind, body: read, facts };
}

/** An action that the client's backend executed. */
function readAction(item: Item, rules: KnownRules): { readonly reason: number; readonly action: number } | undefined {
  const expectation = readExpectation(item, rules);
  if (expectation === undefined) return undefined;
  const { reason, action } = expectation;
  return action === undefined
    ? item.fail('executed has no action', 'executed: { reason: 301, action: 2 }')
    : { reason, action };
}

/** `+5s`: time since the test began. */
function readAt(item: Item): number | undefined {
  const expected = 'time since the test began: +0s, +5s, +1h30m';
  const word = item.word('at', expected);
  if (word === undefined) return undefined;
  const ms = parseDuration(word.replace(/^\+/, ''));
  if (ms === undefined) return item.fail(`at is ${word}`, expected);
  return ms > testBounds.atMsMax
    ? item.fail(`at is ${word}`, `at most +${formatDuration(testBounds.atMsMax)} after the test began`)
    : ms;
}

/** Enrichment facts given for the test: `facts: { ip.valid: false }`. */
function readFacts(item: Item, kind: EventKind): Readonly<Record<string, string | number | boolean>> | undefined {
  const facts = (item.entries('facts') ?? []).map(({ key, keyItem, value }) => {
    const definition = enrichmentFact(key, keyItem, kind);
    const given = value.scalar(key);
    if (definition === undefined || given === undefined) return undefined;
    if (typeof given === jsType(definition.type)) return [key, given] as const;
    return value.fail(`${key} is a ${definition.type}`, jsType(definition.type));
  });
  const known = facts.filter((fact) => fact !== undefined);
  return known.length < facts.length ? undefined : Object.fromEntries(known);
}

function enrichmentFact(path: string, at: Item, kind: EventKind): FactDefinition | undefined {
  const definition = factDefinition(path);
  if (definition?.source === 'enrichment')
    return definition.on.has(kind)
      ? definition
      : at.fail(`this kind of event never has ${path}`, [...definition.on].join(' or '));
  if (definition === undefined) {
    const enrichment = factDefinitions.filter((fact) => fact.source === 'enrichment').map((fact) => fact.path);
    return at.fail(`there is no fact ${path}`, nearest(path, enrichment) ?? `one of ${enrichment.join(', ')}`);
  }
  return at.fail(`${path} comes from the events themselves`, 'an enrichment fact, such as ip.valid or device.state');
}

function jsType(type: FactType): 'string' | 'number' | 'boolean' {
  return type === 'bool' ? 'boolean' : type === 'string' ? 'string' : 'number';
}

function readExpectation(item: Item, rules: KnownRules): PolicyTest['expect'][number] | undefined {
  const fields = item.fields('an expectation', ['reason', 'action', 'at']);
  if (fields === undefined) return undefined;
  if (fields.reason === undefined) return item.fail('the expectation has no reason', '{ reason: 101, at: +5s }');
  const reason = fields.reason.integer('reason', { min: 1, max: Number.MAX_SAFE_INTEGER });
  const action = fields.action && readActionNumber(fields.action, rules);
  const atMs = fields.at === undefined ? undefined : readAt(fields.at);
  if (reason === undefined || (fields.action !== undefined && action === undefined)) return undefined;
  if (rules.broken.has(reason)) return { reason, action, atMs };
  const rule = rules.byReason.get(reason);
  if (rule === undefined)
    return fields.reason.fail(`there is no rule with reason ${reason}`, nearestNumber(reason, rules.byReason.keys()));
  if (action !== undefined && !rule.then.some((template) => template.action === action)) {
    return fields.action?.fail(
      `rule ${reason} does not request action ${action}`,
      rule.then.map((template) => template.action).join(' or '),
    );
  }
  return { reason, action, atMs };
}
