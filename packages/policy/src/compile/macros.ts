import type { CallNode, Expression } from '../expression/node.ts';
import { pathText } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import type { Facts, Predicate } from '../facts/fact-value.ts';
import { anyWord } from './any-word.ts';
import { costMax } from './bounds.ts';
import { combine, type Compiled, type Context, dearText } from './compiled.ts';
import type { FormDefinition } from './functions/definition.ts';
import { compileCondition, predicate } from './logic.ts';
import { Loop } from './loop.ts';
import { sizeInside } from './paths.ts';
import { isList, isMap, isOpen, itemType, keyType, listType, type Type } from './type.ts';
import { boxed, boxedKey, Dynamic, type Key, type Value } from './value.ts';

const group = 'lists and maps';

/** Forms that iterate over the items of a list or the keys of a map. */
export const macros: readonly FormDefinition[] = [
  {
    kind: 'form',
    name: 'exists',
    group,
    isMethod: true,
    signature: 'list.exists(x, bool): bool',
    doc: 'Whether the condition is true for any item; for a map, for any key.',
    example: 'lists.words.exists(word, transaction.description.contains(word))',
    compile: quantifier,
  },
  {
    kind: 'form',
    name: 'all',
    group,
    isMethod: true,
    signature: 'list.all(x, bool): bool',
    doc: 'Whether the condition is true for every item.',
    example: '["a", "b"].all(x, x != transaction.type)',
    compile: quantifier,
  },
  ...['exists_one', 'existsOne'].map((name): FormDefinition => ({
    kind: 'form',
    name,
    group,
    isMethod: true,
    signature: `list.${name}(x, bool): bool`,
    doc: 'Whether the condition is true for exactly one item.',
    example: `["a", "b"].${name}(x, x == transaction.type)`,
    compile: quantifier,
  })),
  {
    kind: 'form',
    name: 'filter',
    group,
    isMethod: true,
    signature: 'list.filter(x, bool): list',
    doc: 'The items for which the condition is true. Missing if it is missing for one of them.',
    example: '[account.bank, accountTo.bank].filter(x, x == "BANK-A").size() == 1',
    compile: filter,
  },
  {
    kind: 'form',
    name: 'map',
    group,
    isMethod: true,
    signature: 'list.map(x, any): list',
    doc: 'The value for every item; with `list.map(x, bool, any)` only for those items for which the condition is true. Missing if one of the values is.',
    example: '"BANK-A" in [account.bank, accountTo.bank].map(x, x.upperAscii())',
    compile: map,
  },
];

/** The values to iterate over, and their maximum number. */
interface Range {
  readonly part: Compiled;
  readonly count: number;
  readonly loop: Loop;
  /** `undefined` if the list itself is missing. Of a list literal, a single item may be missing. */
  readonly values: (facts: Facts) => readonly Value[] | undefined;
}

function quantifier(node: CallNode, context: Context): Compiled | undefined {
  const [bound, body] = node.args;
  const range = rangeOf(node, 2, context);
  if (range === undefined || bound === undefined || body === undefined) return undefined;
  const condition = bodyOf(bound, { context, range }, (inner) => compileCondition(body, inner));
  if (condition === undefined) return undefined;
  const together = anyWord(node, range, context);
  if (together !== undefined) return together;
  const cost = costOf(node, { range, body: condition }, context);
  if (cost === undefined) return undefined;
  return combine('bool', [range.part, condition], { run: quantify(node.name, predicate(condition), range), cost });
}

function quantify(name: string, holds: Predicate, { loop, values }: Range): Predicate {
  const isExists = name === 'exists';
  const isAll = name === 'all';
  return (facts) => {
    const items = values(facts);
    if (items === undefined) return undefined;
    let [trues, missing] = [0, 0];
    loop.begin();
    for (const item of items) {
      loop.look(item);
      const outcome = holds(facts);
      if (outcome === true) trues++;
      else if (outcome === undefined) missing++;
      if (isExists && outcome === true) return true;
      if (isAll && outcome === false) return false;
    }
    if (missing > 0) return undefined;
    return isExists ? false : isAll || trues === 1;
  };
}

function filter(node: CallNode, context: Context): Compiled | undefined {
  const [bound, body] = node.args;
  const range = rangeOf(node, 2, context);
  if (range === undefined || bound === undefined || body === undefined) return undefined;
  const condition = bodyOf(bound, { context, range }, (inner) => compileCondition(body, inner));
  if (condition === undefined) return undefined;
  const cost = costOf(node, { range, body: condition }, context);
  if (cost === undefined) return undefined;
  const made = { run: collect(range, predicate(condition), (item) => item), cost, size: range.part.size };
  return combine(listType(range.loop.item.type), [range.part, condition], made);
}

function map(node: CallNode, context: Context): Compiled | undefined {
  const [bound, ...bodies] = node.args;
  const range = rangeOf(node, 3, context);
  const last = bodies.at(-1);
  if (range === undefined || bound === undefined || last === undefined) return undefined;
  const [condition, value] = [
    bodies.length === 1
      ? everything
      : bodyOf(bound, { context, range }, (inner) => compileCondition(bodies[0] ?? last, inner)),
    bodyOf(bound, { context, range }, (inner) => inner.compile(last)),
  ];
  if (condition === undefined || value === undefined) return undefined;
  const body = { ...value, cost: value.cost + condition.cost };
  const cost = costOf(node, { range, body }, context);
  if (cost === undefined) return undefined;
  const made = {
    run: collect(range, predicate(condition), (_, facts) => value.run(facts)),
    cost,
    size: range.count * (1 + value.size),
  };
  return combine(listType(value.type), [range.part, condition, value], made);
}

const everything: Compiled = {
  type: 'bool',
  run: () => true,
  constant: true,
  size: 0,
  length: 0,
  reads: [],
  needs: [],
  cost: 0,
};

function collect(
  { loop, values }: Range,
  holds: Predicate,
  answer: (item: Value, facts: Facts) => Value,
): (facts: Facts) => Value {
  return (facts) => {
    const items = values(facts);
    if (items === undefined) return undefined;
    const answers: Value[] = [];
    loop.begin();
    for (const item of items) {
      if (item === undefined) return undefined;
      loop.look(item);
      const outcome = holds(facts);
      if (outcome === undefined) return undefined;
      if (!outcome) continue;
      const value = answer(item, facts);
      if (value === undefined) return undefined;
      answers.push(value);
    }
    return answers;
  };
}

function rangeOf(node: CallNode, argsMax: number, context: Context): Range | undefined {
  if (node.receiver === undefined || node.args.length < 2 || node.args.length > argsMax) {
    const message = `${node.name} needs a name and ${node.name === 'map' ? 'a value' : 'a condition'}`;
    const suggestion = `["a", "b"].${node.name}(x, ${node.name === 'map' ? 'x.size()' : 'x == transaction.type'})`;
    context.report({ ...node.nameSpan, message, suggestion });
    return undefined;
  }
  const part = context.compile(node.receiver);
  if (part === undefined) return undefined;
  const { type, run } = part;
  if (!isList(type) && !isMap(type) && !isOpen(type)) {
    const message = `${printExpression(node.receiver)} is not a list`;
    const { start, end } = node.receiver;
    context.report({ start, end, message, suggestion: '["a", "b"], or lists.name' });
    return undefined;
  }
  const item = isList(type) ? itemType(type) : isMap(type) ? keyType(type) : 'dyn';
  const known = part.constant ? run([]) : undefined;
  const count = part.items?.length ?? (Array.isArray(known) ? known.length : part.size);
  const { length, isBuilt = false } = part;
  const loop = new Loop(isOpen(item) ? 'dyn' : item, { size: sizeInside(part, item), length, isBuilt });
  return { part, count, loop, values: valuesOf(part) };
}

function valuesOf({ type, run, items, constant }: Compiled): Range['values'] {
  if (items !== undefined && !constant) {
    const runs = items.map((item) => item.run);
    return (facts) => runs.map((one) => one(facts));
  }
  if (isList(type)) return run as Range['values'];
  return (facts) => {
    const whole = run(facts);
    return whole === undefined ? undefined : inside(type, whole);
  };
}

/** The items of a list or the keys of a map; missing for a value of any other type. */
function inside(type: Type, whole: Value): readonly Value[] | undefined {
  if (whole instanceof Dynamic)
    return inside(whole.type, whole.value)?.map((value) => boxed(insideType(whole.type), value));
  if (isList(type)) return whole as readonly Value[];
  if (!isMap(type)) return undefined;
  const keys: readonly Key[] = [...(whole as ReadonlyMap<Key, Value>).keys()];
  return keyType(type) === 'dyn' ? keys.map((key) => boxedKey(key)) : keys;
}

function insideType(type: Type): Type {
  return isList(type) ? itemType(type) : isMap(type) ? keyType(type) : 'dyn';
}

function bodyOf(
  bound: Expression,
  { context, range }: { readonly context: Context; readonly range: Range },
  compile: (inner: Context) => Compiled | undefined,
): Compiled | undefined {
  const name = boundName(bound, context);
  return name === undefined ? undefined : compile(context.bind(name, range.loop));
}

function boundName(node: Expression, context: Context): string | undefined {
  const name = node.kind === 'path' ? pathText(node) : '';
  if (node.kind === 'path' && node.parts.length === 1 && context.vocabulary.find(name) === undefined) return name;
  const message = name === '' ? 'a name is expected here' : `${printExpression(node)} already has a meaning`;
  context.report({ start: node.start, end: node.end, message, suggestion: 'a new name, such as x' });
  return undefined;
}

/** The cost of all items together. Refused here if that alone is too much. */
function costOf(
  node: CallNode,
  { range, body }: { readonly range: Range; readonly body: Compiled },
  context: Context,
): number | undefined {
  const cost = range.loop.hoistedCost + range.count * (body.cost + 1);
  if (cost <= costMax) return cost;
  const message = `${node.name} over ${range.count} items takes too long: up to ${cost} steps${dearText(body)}`;
  context.report({ ...node.nameSpan, message, suggestion: 'a shorter list, or x in lists.name' });
  return undefined;
}
