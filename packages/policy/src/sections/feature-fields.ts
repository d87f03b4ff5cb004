import type { EventKind } from '@ringfence/contract';
import type { Compiler } from '../compile/compile.ts';
import type { Compiled, DeclaredList } from '../compile/compiled.ts';
import type { Item } from '../document/item.ts';
import { printExpression } from '../expression/print.ts';
import { type FactDefinition, factDefinition, featureFact } from '../facts/facts.ts';
import type { FactType } from '../facts/fact-value.ts';
import { canName, isOwnFact } from '../facts/own-facts.ts';
import { listsIn } from '../explain/list-readers.ts';
import type { CountedKind, FeatureKind } from '../policy.ts';
import { featureDefinition } from './feature-kinds.ts';
import { featureBounds } from './feature-shape.ts';
import { readFact } from './feature-subject.ts';
import { countsOutcomes, readOutcomeFacts } from './feature-outcomes.ts';
import { commonKinds, kindNames, readCountedKinds } from './kinds.ts';
import { warnOfSenseless } from '../lint/senseless-conditions.ts';
import { readDuration } from './spans.ts';

/** Types of facts that can identify an entity. */
const naming: ReadonlySet<FactType> = new Set(['string', 'int', 'bool']);

export function readBy(item: Item): readonly FactDefinition[] | undefined {
  const items = item.isList ? item.list('by', featureBounds.by) : [item];
  if (items === undefined) return undefined;
  if (items.length === 0) return item.fail('by is empty', 'by: client.id');
  const facts = items.map((one) => readNamingFact(one));
  const known = facts.filter((fact) => fact !== undefined);
  if (new Set(known).size < known.length) return item.fail('by has a fact twice', 'each once');
  return known.length < facts.length ? undefined : known;
}

function readNamingFact(item: Item): FactDefinition | undefined {
  const fact = readFact(item, 'by');
  if (fact === undefined) return undefined;
  if (fact.source === 'outcome') {
    return item.fail(
      `events have no ${fact.path}: no rule could read a feature by it`,
      `by: client.id, and ${fact.path} in where`,
    );
  }
  if (!canName(fact)) {
    return item.fail(
      `${fact.path} is kept by Ringfence about an entity and can't identify one: a feature by it would never have a value`,
      `by: client.id, and read ${fact.path} in where or in the rule`,
    );
  }
  if (naming.has(fact.type)) return fact;
  return item.fail(
    `${fact.path} is a ${fact.type} and can't identify an entity`,
    'a text or a whole number, such as client.id',
  );
}

export function readOver(
  item: Item,
  kind: FeatureKind | undefined,
  over: Item | undefined,
): { readonly ms: number | undefined } | undefined {
  if (kind !== undefined && featureDefinition(kind).span === 'none') {
    return over === undefined ? { ms: undefined } : over.fail(`${kind} has no window`, 'remove over');
  }
  if (over === undefined) return kind === undefined ? undefined : item.fail(`${kind} needs a window`, 'over: 24h');
  const ms = readDuration(over, 'over', { minMs: featureBounds.overMsMin, maxMs: featureBounds.overMsMax });
  return ms === undefined ? undefined : { ms };
}

export function readWhere(
  item: Item,
  compiler: Compiler,
): { readonly text: string; readonly compiled: Compiled } | undefined {
  const expression = item.expression('where');
  if (expression === undefined) return undefined;
  const compiled = compiler.condition(expression.node, expression.report);
  if (compiled === undefined) return undefined;
  warnOfSenseless(expression.node, compiler, expression.report);
  return { text: printExpression(expression.node), compiled };
}

/**
 * The events that update it: the declared ones, or all that can have the facts that it reads. Outcomes are counted alone,
 * if they are declared or one of its facts is an outcome's.
 */
export function readOn(
  keyItem: Item,
  on: Item | undefined,
  [needed, where]: readonly [readonly FactDefinition[], Compiled | undefined],
): ReadonlySet<CountedKind> | undefined {
  const filters = (where?.needs ?? []).map((path) => featureFact(path)).filter((fact) => fact !== undefined);
  const read = (where?.reads ?? []).map((path) => featureFact(path)).filter((fact) => fact !== undefined);
  const declared = on === undefined ? undefined : readCountedKinds(on);
  if (on !== undefined && declared === undefined) return undefined;
  if (countsOutcomes(declared, [...needed, ...read]))
    return readOutcomeFacts(on ?? keyItem, declared, [...needed, ...read]);
  if (on === undefined) {
    const inferred = commonKinds([...needed, ...filters].map((fact) => fact.on));
    if (inferred.size > 0) return inferred;
    return keyItem.fail('no event has all the facts that this feature reads', 'facts of one kind of event, or on:');
  }
  const given = declared as ReadonlySet<EventKind>;
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

/** The fields of a feature of labels. */
interface Found {
  readonly kind: FeatureKind;
  readonly by: readonly FactDefinition[];
  readonly where: { readonly text: string | undefined; readonly compiled: Compiled | undefined };
  readonly on: ReadonlySet<CountedKind>;
  readonly lists: ReadonlyMap<string, DeclaredList>;
}

/** Whether the entity of a feature of labels can be found again from the event alone; if not, it was reported. */
export function readsOwnFacts(
  { kind, by, where, on, lists }: Found,
  fields: { readonly by?: Item; readonly where?: Item },
): boolean {
  const expected = 'facts of the event itself, such as payee.id';
  const foreign = by.find((fact) => !isOwnFact(fact, on));
  if (foreign !== undefined)
    fields.by?.fail(`${kind} can't read ${foreign.path}: a label may arrive when it has changed`, expected);
  const read = (where.compiled?.reads ?? []).map((path) => factDefinition(path)).filter((fact) => fact !== undefined);
  const other = read.find((fact) => !isOwnFact(fact, on))?.path ?? changingList(where.text ?? '', lists);
  if (other !== undefined)
    fields.where?.fail(`${kind} can't read ${other}: a label may arrive when it has changed`, expected);
  return foreign === undefined && other === undefined;
}

/** The name of a live list in a condition: its items may have changed when a label arrives. */
function changingList(text: string, lists: ReadonlyMap<string, DeclaredList>): string | undefined {
  const name = listsIn(text).find((one) => lists.get(one)?.live !== undefined);
  return name === undefined ? undefined : `lists.${name}`;
}
