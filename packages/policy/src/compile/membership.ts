import { type BinaryNode, type Expression, type ListNode, pathText } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import type { NetworkSet } from '../values/networks.ts';
import { itemText, pairText } from '../facts/item-text.ts';
import type { FactValue, Predicate } from '../facts/fact-value.ts';
import { hashCost } from './bounds.ts';
import { compileBeside } from './unquoted-word.ts';
import { combine, type Compiled, constant, type Context, type DeclaredList, type Run, silent } from './compiled.ts';
import { demandOfList } from './rule-index-keys.ts';
import { compareCost, type Equality, equality } from './equality.ts';
import { isDynamic, dispatch } from './dynamic-dispatch.ts';
import { compileList, decimalList, liveItems } from './lists.ts';
import { asDecimal } from './numbers.ts';
import { warnOfRange } from './out-of-range.ts';
import {
  aType,
  isComparable,
  isList,
  isMap,
  isNumeric,
  isOpen,
  itemType,
  keyType,
  type Type,
  typeOfFact,
} from './type.ts';
import { Dynamic, type Key, type Value } from './value.ts';

type InNode = BinaryNode<'in'>;

/** `x in [..]`, `x in lists.name`, `"key" in transaction.details`. Missing if `x` is missing. */
export function compileMembership(node: InNode, context: Context): Compiled | undefined {
  const value = context.compile(node.left);
  const whole = compileWhole(node, value, context);
  return value === undefined || whole === undefined ? undefined : membership(node, [value, whole], context);
}

/** Each item of a list literal is compared with the value. */
function compileWhole({ left, right }: InNode, value: Compiled | undefined, context: Context): Compiled | undefined {
  if (right.kind !== 'list') return context.compile(right);
  const beside = { node: left, compiled: value };
  return compileList(right, { ...context, compile: (item) => compileBeside(item, beside, context) });
}

function membership(node: InNode, parts: readonly [Compiled, Compiled], context: Context): Compiled | undefined {
  const [value, whole] = parts;
  if (isMap(whole.type)) return inMap(node, parts, context);
  if (isList(whole.type)) return inList(node, parts, context);
  if (isDynamic([whole])) {
    return dispatch(
      parts,
      { result: 'bool' },
      ([left, right]) => left && right && membership(node, [left, right], silent(context)),
    );
  }
  const message = `"in" searches a list or a map, not ${aType(whole.type)}`;
  const suggestion =
    whole.type === 'string' && value.type === 'string'
      ? `${printExpression(node.right)}.contains(${printExpression(node.left)})`
      : '["a", "b"], lists.name, or transaction.details';
  context.report({ start: node.right.start, end: node.right.end, message, suggestion });
  return undefined;
}

function inList(node: InNode, [value, list]: readonly [Compiled, Compiled], context: Context): Compiled | undefined {
  if (list.declared !== undefined) return inDeclared(node, [value, list.declared], context);
  const item = isList(list.type) ? itemType(list.type) : 'none';
  if (!isComparable(value.type, item)) {
    const message = `${printExpression(node.left)} is ${aType(value.type)}, but the list's items are of type ${item}`;
    context.report({ start: node.start, end: node.end, message, suggestion: `items that are ${aType(value.type)}` });
    return undefined;
  }
  if (item === 'none') {
    const { start, end } = node.right;
    context.report({ start, end, message: 'the list is empty', suggestion: 'at least one item', severity: 'warning' });
  }
  if (node.right.kind === 'list') for (const one of node.right.items) warnOfRange([node.left, value], one, context);
  if (value.type !== item && isNumeric(value.type) && isNumeric(item) && [value.type, item].includes('decimal')) {
    const left = asDecimal(value);
    const right = item === 'decimal' ? list : decimalList(list, node.right, context);
    return left === undefined || right === undefined ? undefined : inList(node, [left, right], context);
  }
  if (list.networks !== undefined && value.type === 'string')
    return combine('bool', [value], {
      run: inNetworks(value.run, list.networks),
      cost: 50 + 10 * list.networks.lengths,
    });
  if (list.known !== undefined && value.type === item && isPlain(item))
    return {
      ...combine('bool', [value], { run: inSet(value.run, list.known), cost: 5 + keyCost(value) }),
      // A declared list can change; a list literal can't.
      demands: node.right.kind === 'list' ? demandOfList(value, list.known) : [],
    };
  const made = {
    run: inItems(value, list, equality(value.type, item)),
    cost: 1 + (list.size + value.size) * (1 + compareCost(value, list)),
  };
  return combine('bool', [value, list], made);
}

/** Looks an item up by its text: first in the list's items from the files, then in the current live items. */
function inDeclared(
  node: InNode,
  [value, list]: readonly [Compiled, DeclaredList],
  context: Context,
): Compiled | undefined {
  const isPair = list.of.length > 1;
  if (isPair && (node.left.kind !== 'list' || node.left.items.length !== 2)) {
    const { start, end } = node.left;
    const suggestion = `[${list.of.join(', ')}] in lists.${list.name}`;
    context.report({ start, end, message: `lists.${list.name} contains pairs`, suggestion });
    return undefined;
  }
  if (isPair && node.left.kind === 'list') warnOfPair(node.left, list, context);
  const { items, networks, type, live } = list;
  if (!isPair && value.type !== typeOfFact(type)) {
    const message = `${printExpression(node.left)} is ${aType(value.type)}, but lists.${list.name} contains values of type ${type}`;
    context.report({ start: node.start, end: node.end, message, suggestion: `a value of type ${type}` });
    return undefined;
  }
  const run: Predicate = (facts) => {
    const searched = value.run(facts);
    if (searched === undefined) return undefined;
    const text = isPair ? pairText(searched as readonly string[]) : itemText(searched as FactValue, type);
    if (isPair ? items.has(text) : networks === undefined ? items.has(searched as FactValue) : networks.has(text))
      return true;
    return live !== undefined && liveItems(facts, live.slot)?.has(text) === true;
  };
  const steps = networks === undefined ? 10 + keyCost(value) : 100 + 10 * networks.lengths;
  return live === undefined
    ? combine('bool', [value], { run, cost: steps })
    : combine('bool', [value, changing], { run, cost: steps });
}

/**
 * A pair that is never on the list: one part is not a text, or belongs in the place of the other. It is only a warning,
 * because stored policies with it must keep loading.
 */
function warnOfPair({ items, start, end }: ListNode, { name, of }: DeclaredList, context: Context): void {
  const paths = items.map((item) => (item.kind === 'path' ? pathText(item) : undefined));
  const odd = items.find((item) => isNoText(item, context));
  if (odd !== undefined) {
    const text = printExpression(odd);
    const message = `pairs consist of texts, and ${text} is not a text: this is never in lists.${name}`;
    context.report({ start: odd.start, end: odd.end, message, suggestion: `string(${text})`, severity: 'warning' });
  } else if (paths.some((path, at) => path !== of[at] && path === of[1 - at])) {
    const message = `lists.${name} contains pairs of ${of.join(' and ')}, in this order`;
    const suggestion = `[${of.join(', ')}] in lists.${name}`;
    context.report({ start, end, message, suggestion, severity: 'warning' });
  }
}

function isNoText(item: Expression, { vocabulary }: Context): boolean {
  if (item.kind !== 'path') return ['number', 'bool', 'null', 'duration', 'bytes'].includes(item.kind);
  const type = vocabulary.find(pathText(item))?.type;
  return type !== undefined && type !== 'string';
}

/** A part that changes without a new policy: no expression that contains it is a constant. */
const changing: Compiled = { ...constant('bool', undefined), constant: false, cost: 0 };

/** Whether equal values of the type are identical in JavaScript. */
function isPlain(type: Type): boolean {
  return !isOpen(type) && !isList(type) && !isMap(type) && type !== 'bytes';
}

function inSet(value: Run, items: ReadonlySet<Value>): Predicate {
  return (facts) => {
    const searched = value(facts);
    return searched === undefined ? undefined : items.has(searched);
  };
}

function inNetworks(value: Run, networks: NetworkSet): Predicate {
  return (facts) => {
    const address = value(facts);
    return typeof address === 'string' ? networks.has(address) : undefined;
  };
}

/** True if any item is equal; otherwise missing if the list or any item of the literal is. */
function inItems(value: Compiled, list: Compiled, equal: Equality): Predicate {
  const items = list.items?.map((item) => item.run);
  return (facts) => {
    const searched = value.run(facts);
    const values = items === undefined ? (list.run(facts) as readonly Value[] | undefined) : items;
    if (searched === undefined || values === undefined) return undefined;
    let outcome: boolean | undefined = false;
    for (const item of values) {
      const candidate = typeof item === 'function' ? item(facts) : item;
      if (candidate === undefined) outcome = undefined;
      else if (equal(searched, candidate)) return true;
    }
    return outcome;
  };
}

function inMap(node: InNode, [key, map]: readonly [Compiled, Compiled], context: Context): Compiled | undefined {
  const wanted = isMap(map.type) ? keyType(map.type) : 'none';
  if (!isComparable(key.type, wanted)) {
    const message = `a key of ${printExpression(node.right)} is ${aType(wanted)}, not ${aType(key.type)}`;
    context.report({ start: node.left.start, end: node.left.end, message, suggestion: aType(wanted) });
    return undefined;
  }
  const [runKey, runMap] = [key.run, map.run];
  return combine('bool', [key, map], {
    run: (facts) => {
      const entries = runMap(facts) as ReadonlyMap<Key, Value> | undefined;
      const name = runKey(facts);
      return entries === undefined || name === undefined ? undefined : entries.has(rawKey(name));
    },
    cost: 3 + keyCost(key),
  });
}

/** The form of a key inside maps. A value that can't be a key is in no map. */
export function rawKey(value: Value): Key {
  return (value instanceof Dynamic ? value.value : value) as Key;
}

/** The cost of looking up a text, in addition to the lookup itself. */
export function keyCost(key: Compiled): number {
  return key.isBuilt === true && (key.type === 'string' || isOpen(key.type)) ? hashCost(key.length) : 0;
}
