import type { BinaryNode, Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import type { FactValue, Predicate } from '../policy.ts';
import { aType, combine, type Compiled, type Context, type Run } from './compiled.ts';
import { type CompiledList, compileList, decimalList } from './lists.ts';
import { asDecimal, isNumeric } from './numbers.ts';

/** `x in [..]`, `x in lists.name`, `"key" in transaction.details`. Missing when `x` is missing. */
export function compileMembership(node: BinaryNode<'in'>, context: Context): Compiled | undefined {
  if (node.right.kind !== 'list' && !(node.right.kind === 'path' && node.right.parts[0]?.name === 'lists')) {
    return inMap(node, context);
  }
  const value = context.compile(node.left);
  const list = compileList(node.right, context);
  if (value === undefined || list === undefined) return undefined;
  const sides = sameType(node, [value, list], context);
  if (sides === undefined) return undefined;
  const [left, right] = sides;
  if (right.known !== undefined) return combine('bool', [left], { run: inSet(left.run, right.known), cost: 5 });
  const run = inItems(
    left.run,
    right.items.map((item) => item.run),
  );
  return combine('bool', [left, ...right.items], { run });
}

function sameType(
  node: BinaryNode<'in'>,
  [value, list]: readonly [Compiled, CompiledList],
  context: Context,
): readonly [Compiled, CompiledList] | undefined {
  if (isNumeric(value.type) && isNumeric(list.type)) {
    if (value.type !== 'decimal' && list.type !== 'decimal') return [value, list];
    const left = asDecimal(value);
    const right = decimalList(list, node.right, context);
    return left === undefined || right === undefined ? undefined : [left, right];
  }
  if (value.type === list.type) return [value, list];
  const message = `${printExpression(node.left)} is ${aType(value.type)}, and the list's items are of type ${list.type}`;
  context.report({ start: node.start, end: node.end, message, suggestion: `items that are ${aType(value.type)}` });
  return undefined;
}

function inSet(value: Run, items: ReadonlySet<FactValue>): Predicate {
  return (facts) => {
    const searched = value(facts);
    return searched === undefined ? undefined : items.has(searched);
  };
}

/** True when any item is equal; else missing when any item is missing. */
function inItems(value: Run, items: readonly Run[]): Predicate {
  return (facts) => {
    const searched = value(facts);
    if (searched === undefined) return undefined;
    let outcome: boolean | undefined = false;
    for (const item of items) {
      const candidate = item(facts);
      if (candidate === searched) return true;
      if (candidate === undefined) outcome = undefined;
    }
    return outcome;
  };
}

function inMap(node: BinaryNode<'in'>, context: Context): Compiled | undefined {
  const key = context.compile(node.left);
  const map = context.compile(node.right);
  if (key === undefined || map === undefined) return undefined;
  if (map.type !== 'map' || key.type !== 'string') return refuse(node, [key, map], context);
  const [runKey, runMap] = [key.run, map.run];
  return combine('bool', [key, map], {
    run: (facts) => {
      const entries = runMap(facts);
      const name = runKey(facts);
      return entries instanceof Map && typeof name === 'string' ? entries.has(name) : undefined;
    },
    cost: 3,
  });
}

function refuse(node: BinaryNode<'in'>, [key, map]: readonly [Compiled, Compiled], context: Context): undefined {
  const wrong: Expression = map.type === 'map' ? node.left : node.right;
  const message =
    map.type === 'map'
      ? `a key is a string, not ${aType(key.type)}`
      : `"in" looks into a list or a map, not into ${aType(map.type)}`;
  const suggestion =
    map.type === 'string' ? `${printExpression(node.right)}.contains(${printExpression(node.left)})` : undefined;
  context.report({ start: wrong.start, end: wrong.end, message, suggestion });
  return undefined;
}
