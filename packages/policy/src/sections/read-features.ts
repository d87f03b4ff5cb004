import { dayMs, type EventKind, minuteMs } from '@ringfence/contract';
import { Compiler } from '../compile/compile.ts';
import { type Compiled, type Name } from '../compile/compiled.ts';
import { unknownPath } from '../compile/paths.ts';
import { predicate } from '../compile/logic.ts';
import type { Entry, Item } from '../document/item.ts';
import { printExpression } from '../expression/print.ts';
import { canName, currencyOf, type FactDefinition, factDefinition, factDefinitions, scorePath } from '../facts.ts';
import type { FactType, Feature, FeatureKind } from '../policy.ts';
import { featureVocabulary, type Words } from '../vocabulary.ts';
import { commonKinds, kindNames, readKinds } from './kinds.ts';
import { checkName } from './names.ts';
import { readDuration } from './spans.ts';

const kinds: readonly FeatureKind[] = ['count', 'sum', 'avg', 'min', 'max', 'distinct', 'firstSeen', 'lastSeen'];
/** Kinds that are about a fact; the others are written `count: true`. */
const aboutFact: ReadonlySet<FeatureKind> = new Set(['sum', 'avg', 'min', 'max', 'distinct']);
const windowless: ReadonlySet<FeatureKind> = new Set(['firstSeen', 'lastSeen']);
const numeric: ReadonlySet<FactType> = new Set(['int', 'double', 'decimal']);
/** What an entity can be named by. */
const naming: ReadonlySet<FactType> = new Set(['string', 'int', 'bool']);

export const featureBounds = {
  /** Each is computed for each event; at 1 µs apiece the engine would still take 5,000 events/s. */
  features: 200,
  /** Facts that name an entity. */
  by: 4,
  overMsMin: minuteMs,
  /** A quarter: longer habits belong into a model of their own, and memory grows with the window. */
  overMsMax: 90 * dayMs,
} as const;

/** A feature, and the kinds of event on which it can have a value. */
export interface ReadFeature {
  readonly feature: Feature;
  readonly name: Name;
  readonly keyItem: Item;
}

type FactWords = Pick<Words, 'slots' | 'lists'>;

/** `features:` of all files, by name. Names of features that don't check join `broken`. */
export function readFeatures(
  sections: readonly Item[],
  words: FactWords,
  broken: Set<string>,
): ReadonlyMap<string, ReadFeature> {
  const entries = sections.flatMap((section) => section.entries('features') ?? []);
  const names = new Set(entries.map((entry) => entry.key));
  const vocabulary = featureVocabulary({ ...words, broken, features: new Map() }, names);
  const compiler = new Compiler(vocabulary);
  const features = new Map<string, ReadFeature>();
  for (const entry of entries) {
    const feature = readFeature(entry, words, compiler);
    if (features.has(entry.key)) entry.keyItem.fail(`the feature ${entry.key} is declared twice`, 'another name');
    else if (features.size >= featureBounds.features)
      entry.keyItem.fail('there are too many features', `at most ${featureBounds.features}`);
    else if (checkName(entry.key, entry.keyItem) && feature !== undefined) features.set(entry.key, feature);
    else broken.add(entry.key);
  }
  return features;
}

function readFeature({ key, keyItem, value }: Entry, words: FactWords, compiler: Compiler): ReadFeature | undefined {
  const fields = value.fields('a feature', [...kinds, 'by', 'over', 'where', 'on', 'description']);
  if (fields === undefined) return undefined;
  const subject = readSubject(key, value, fields);
  const by = fields.by === undefined ? value.fail(`${key} does not say by what`, 'by: client.id') : readBy(fields.by);
  const over = readOver(value, subject?.kind, fields.over);
  const where =
    fields.where === undefined ? { text: undefined, compiled: undefined } : readWhere(fields.where, compiler);
  if (subject === undefined || by === undefined || over === undefined || where === undefined) return undefined;

  const currency =
    subject.of === undefined || subject.kind === 'distinct'
      ? undefined
      : factDefinition(currencyOf.get(subject.of.path) ?? '');
  const perCurrency = currency !== undefined && !by.includes(currency) ? currency : undefined;
  const entity = [...by, ...(perCurrency === undefined ? [] : [perCurrency])];
  const needed = [...entity, ...(subject.of === undefined ? [] : [subject.of])];
  const on = readOn(keyItem, fields.on, [needed, where.compiled]);
  if (on === undefined) return undefined;

  const type = typeOf(subject.kind, subject.of?.type);
  const feature: Feature = {
    name: key,
    fingerprint: JSON.stringify([
      subject.kind,
      subject.of?.path,
      by.map((fact) => fact.path),
      over.ms,
      where.text,
      [...on],
      perCurrency?.path,
    ]),
    kind: subject.kind,
    slot: words.slots.use(key),
    type,
    on,
    ofSlot: subject.of === undefined ? undefined : words.slots.use(subject.of.path),
    ofType: subject.of?.type,
    bySlots: by.map((fact) => words.slots.use(fact.path)),
    by: by.map((fact) => fact.path),
    currencySlot: perCurrency === undefined ? undefined : words.slots.use(perCurrency.path),
    overMs: over.ms,
    where: where.compiled === undefined ? undefined : predicate(where.compiled),
  };
  return { feature, keyItem, name: { path: key, type, on: commonKinds(entity.map((fact) => fact.on)) } };
}

type Subject = { readonly kind: FeatureKind; readonly of: FactDefinition | undefined };

/** `sum: order.amount`, `count: true`. */
function readSubject(name: string, item: Item, fields: Partial<Record<FeatureKind, Item>>): Subject | undefined {
  const given = kinds.filter((kind) => fields[kind] !== undefined);
  const [kind] = given;
  const value = kind === undefined ? undefined : fields[kind];
  if (kind === undefined || value === undefined || given.length > 1) {
    const message = given.length > 1 ? `${name} is ${given.join(' and ')} at once` : `${name} does not say what it is`;
    return item.fail(message, `one of ${kinds.join(', ')}`);
  }
  if (!aboutFact.has(kind)) return value.choice(kind, ['true']) === undefined ? undefined : { kind, of: undefined };
  const of = readFact(value, kind);
  if (of === undefined) return undefined;
  if (kind === 'distinct' ? of.type === 'map' : !numeric.has(of.type)) {
    return value.fail(
      `${kind} does not work on ${of.path}, which is a ${of.type}`,
      kind === 'distinct' ? 'a fact with one value' : 'a number, such as order.amount',
    );
  }
  return { kind, of };
}

function readFact(item: Item, what: string): FactDefinition | undefined {
  const path = item.text(what, 128);
  if (path === undefined) return undefined;
  if (path === scorePath) return item.fail(`${path} is summed by rules, after features are counted`, 'another fact');
  const fact = factDefinition(path);
  if (fact !== undefined) return fact;
  const { message, suggestion } = unknownPath(
    path,
    factDefinitions.map((known) => known.path),
  );
  return item.fail(message.replace(' or feature', ''), suggestion);
}

function readBy(item: Item): readonly FactDefinition[] | undefined {
  const items = item.isList ? item.list('by', featureBounds.by) : [item];
  if (items === undefined) return undefined;
  if (items.length === 0) return item.fail('by is empty', 'by: client.id');
  const facts = items.map((one) => readNamingFact(one));
  const known = facts.filter((fact) => fact !== undefined);
  if (new Set(known).size < known.length) return item.fail('by names a fact twice', 'each once');
  return known.length < facts.length ? undefined : known;
}

function readNamingFact(item: Item): FactDefinition | undefined {
  const fact = readFact(item, 'by');
  if (fact === undefined) return undefined;
  if (!canName(fact)) {
    return item.fail(
      `${fact.path} is kept by Ringfence itself and names nothing: a feature by it would never have a value`,
      `by: client.id, with ${fact.path} in where or in the rule`,
    );
  }
  if (naming.has(fact.type)) return fact;
  return item.fail(
    `nothing is named by ${fact.path}, which is a ${fact.type}`,
    'a text or a whole number, such as client.id',
  );
}

function readOver(
  item: Item,
  kind: FeatureKind | undefined,
  over: Item | undefined,
): { readonly ms: number | undefined } | undefined {
  if (kind !== undefined && windowless.has(kind)) {
    return over === undefined ? { ms: undefined } : over.fail(`${kind} has no window`, 'leave over out');
  }
  if (over === undefined) return kind === undefined ? undefined : item.fail(`${kind} needs a window`, 'over: 24h');
  const ms = readDuration(over, 'over', { minMs: featureBounds.overMsMin, maxMs: featureBounds.overMsMax });
  return ms === undefined ? undefined : { ms };
}

function readWhere(item: Item, compiler: Compiler): { readonly text: string; readonly compiled: Compiled } | undefined {
  const expression = item.expression('where');
  if (expression === undefined) return undefined;
  const compiled = compiler.condition(expression.node, expression.report);
  return compiled === undefined ? undefined : { text: printExpression(expression.node), compiled };
}

/** Which events update it: those that are named, or all that can have the facts that it needs. */
function readOn(
  keyItem: Item,
  on: Item | undefined,
  [needed, where]: readonly [readonly FactDefinition[], Compiled | undefined],
): ReadonlySet<EventKind> | undefined {
  const filters = (where?.needs ?? []).map((path) => factDefinition(path)).filter((fact) => fact !== undefined);
  if (on === undefined) {
    const inferred = commonKinds([...needed, ...filters].map((fact) => fact.on));
    if (inferred.size > 0) return inferred;
    return keyItem.fail('no event has all the facts that this feature reads', 'facts of one kind of event, or on:');
  }
  const given = readKinds(on);
  if (given === undefined) return undefined;
  for (const fact of needed) {
    const without = [...given].filter((kind) => !fact.on.has(kind));
    if (without.length > 0)
      return on.fail(`${kindNames(without)} never have ${fact.path}`, `on: [${[...fact.on].join(', ')}]`);
  }
  const dead = filters.find((fact) => ![...given].some((kind) => fact.on.has(kind)));
  return dead === undefined
    ? given
    : on.fail(`${kindNames(given)} never have ${dead.path}, which where needs`, `on: [${[...dead.on].join(', ')}]`);
}

function typeOf(kind: FeatureKind, of: FactType | undefined): FactType {
  if (kind === 'count' || kind === 'distinct') return 'int';
  if (kind === 'firstSeen' || kind === 'lastSeen') return 'duration';
  if (kind === 'avg') return of === 'decimal' ? 'decimal' : 'double';
  return of ?? 'int';
}
