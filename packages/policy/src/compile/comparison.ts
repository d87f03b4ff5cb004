import type { Comparison, Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import { nearest } from '../check/nearest.ts';
import type { Facts, Predicate } from '../facts/fact-value.ts';
import { exactly } from './arithmetic.ts';
import { compileBeside, knownValues } from './unquoted-word.ts';
import { combine, type Compiled, constant, type Context, type Run, silent } from './compiled.ts';
import { demandOfEquality } from './rule-index-keys.ts';
import { compareBytes, compareCost, equality } from './equality.ts';
import { isDynamic, dispatch } from './dynamic-dispatch.ts';
import { warnOfComparison } from './out-of-range.ts';
import { commonType, coerced } from './coerce.ts';
import { aType, isComparable, isList, isMap, isNumber, isNumeric, isOpen, type Type } from './type.ts';

type CompareNode = Expression & { readonly kind: 'compare' };

/** Types whose values have an order. Text is ordered by UTF-16 units, and false comes before true. */
const ordered: ReadonlySet<Type> = new Set<Type>([
  'int',
  'uint',
  'double',
  'decimal',
  'string',
  'bytes',
  'bool',
  'timestamp',
  'duration',
]);

/** `== != < <= > >=`, between values of one type or any two numbers. If a side is missing, the result is missing. */
export function compileComparison(node: CompareNode, context: Context): Compiled | undefined {
  const left = context.compile(node.left);
  const right = compileBeside(node.right, { node: node.left, compiled: left }, context);
  if (left === undefined || right === undefined) return undefined;
  const types = [left.type, right.type];
  if (types.includes('null') && !types.every((type) => type === 'null' || isOpen(type)))
    return refuseNull(node, context);
  return canHold(node, context) ? comparison(node, [left, right], context) : undefined;
}

function comparison(node: CompareNode, parts: readonly [Compiled, Compiled], context: Context): Compiled | undefined {
  const [left, right] = parts;
  const isEquality = node.operator === '==' || node.operator === '!=';
  if (isEquality && isGeneral(parts)) return general(node, parts);
  if (!isEquality && isDynamic(parts))
    return dispatch(parts, { result: 'bool' }, ([a, b]) => a && b && comparison(node, [a, b], silent(context)));
  if (left.type === right.type && !isEquality && !ordered.has(left.type)) {
    const message = `${node.operator} does not work on ${aType(left.type)}`;
    context.report({ start: node.start, end: node.end, message, suggestion: '== or !=' });
    return undefined;
  }
  if (left.type === 'bytes' && right.type === 'bytes') return byBytes(node, parts);
  if (left.type === 'bool' && right.type === 'bool' && !isEquality) warnOfOrder(node, context);
  warnOfComparison(node, parts, context);
  const isPlain = isNumber(left.type) && isNumber(right.type) && ![left.type, right.type].includes('decimal');
  const sides = isPlain ? parts : alike({ ...node, hint: chainHint(node) }, parts, context);
  if (sides === undefined) return undefined;
  const made = combine('bool', sides, { run: comparisons[node.operator](...sides), cost: 1 + textCost(sides) });
  return node.operator === '==' ? { ...made, demands: demandOfEquality(sides) } : made;
}

/** For two texts. */
function textCost([left, right]: readonly [Compiled, Compiled]): number {
  return left.type === 'string' && right.type === 'string' ? compareCost(left, right) : 0;
}

/** Whether JavaScript's own equality is not enough: lists, maps, bytes, integers compared with doubles. */
function isGeneral([left, right]: readonly [Compiled, Compiled]): boolean {
  if (!isComparable(left.type, right.type)) return false;
  if (left.type === right.type)
    return isList(left.type) || isMap(left.type) || isOpen(left.type) || left.type === 'bytes';
  if (!isNumeric(left.type) || !isNumeric(right.type)) return true;
  return left.type !== 'decimal' && right.type !== 'decimal' && !isNear(left) && !isNear(right);
}

/** Whether it is a number that no bigint equals. */
function isNear(part: Compiled): boolean {
  const value = part.constant ? part.run([]) : undefined;
  return typeof value === 'number' && (Number.isSafeInteger(value) || !Number.isInteger(value));
}

/** For lists, maps and values that carry their own type. */
function general({ operator }: CompareNode, parts: readonly [Compiled, Compiled]): Compiled {
  const [left, right] = parts;
  const equal = equality(left.type, right.type);
  const [runLeft, runRight] = [left.run, right.run];
  const wanted = operator === '==';
  return combine('bool', parts, {
    run: (facts) => {
      const a = runLeft(facts);
      const b = a === undefined ? undefined : runRight(facts);
      return a === undefined || b === undefined ? undefined : equal(a, b) === wanted;
    },
    cost: 2 + (1 + left.size + right.size) * (1 + compareCost(left, right)),
  });
}

function byBytes({ operator }: CompareNode, parts: readonly [Compiled, Compiled]): Compiled {
  const [runLeft, runRight] = [parts[0].run, parts[1].run];
  const difference: Compiled = {
    ...parts[0],
    run: (facts) => {
      const a = runLeft(facts);
      const b = runRight(facts);
      return a instanceof Uint8Array && b instanceof Uint8Array ? compareBytes(a, b) : undefined;
    },
  };
  return combine('bool', parts, {
    run: comparisons[operator](difference, constant('int', 0)),
    cost: 5 + compareCost(...parts),
  });
}

function warnOfOrder(node: CompareNode, context: Context): void {
  const message = `${node.operator} on true and false orders false before true`;
  context.report({ start: node.start, end: node.end, message, suggestion: '== or !=', severity: 'warning' });
}

/** Two operands, and the suggestion if their types don't match, if there is one. */
interface Pair {
  readonly left: Expression;
  readonly right: Expression;
  readonly start: number;
  readonly end: number;
  readonly hint?: string | undefined;
}

/** `1 < x < 5` */
function chainHint({ left, operator, right }: CompareNode): string | undefined {
  if (left.kind !== 'compare') return undefined;
  return `${printExpression(left)} && ${printExpression(left.right)} ${operator} ${printExpression(right)}`;
}

/** Converts both sides to one type. `undefined` if there is none; that was reported. */
export function alike(
  node: Pair,
  [left, right]: readonly [Compiled | undefined, Compiled | undefined],
  context: Context,
): readonly [Compiled, Compiled] | undefined {
  if (left === undefined || right === undefined) return undefined;
  const type = commonType(left.type, right.type);
  if (type === 'decimal') {
    const exactLeft = exactly(node.left, left, context);
    const exactRight = exactly(node.right, right, context);
    return exactLeft === undefined || exactRight === undefined ? undefined : [exactLeft, exactRight];
  }
  return type === undefined ? refuse(node, [left, right], context) : [coerced(left, type), coerced(right, type)];
}

function refuse(node: Pair, [left, right]: readonly [Compiled, Compiled], context: Context): undefined {
  const { start, end } = node;
  const message = `${printExpression(node.left)} is ${aType(left.type)} and can't be compared with ${aType(right.type)}`;
  context.report({ start, end, message, suggestion: node.hint ?? hintFor(left.type, right.type, node.right) });
  return undefined;
}

function hintFor(left: Type, right: Type, rightNode: Expression): string | undefined {
  if (isMap(left)) return 'a member, such as transaction.details["key"]';
  if (isList(left)) return 'an item, such as list[0], or list.size()';
  if (left === 'duration' && isNumeric(right))
    return `a duration: ${printExpression(rightNode)}s, ${printExpression(rightNode)}m or ${printExpression(rightNode)}h`;
  if (left === 'timestamp') return 'timestamp("2026-01-31T00:00:00Z"), or event.at - x > 15m';
  if (isNumeric(left) && rightNode.kind === 'string' && /^[\d.]+$/.test(rightNode.value))
    return 'a number without quotes';
  if (left === 'string' && isNumeric(right))
    return `"${printExpression(rightNode)}", or decimal(x) for a text that contains a number`;
  if (left === 'bool') return 'true or false';
  return aType(left);
}

function refuseNull(node: CompareNode, context: Context): undefined {
  const other = node.left.kind === 'null' ? node.right : node.left;
  const text = printExpression(other);
  const suggestion = node.operator === '==' ? `!has(${text})` : `has(${text})`;
  context.report({
    start: node.start,
    end: node.end,
    message: 'a policy has no null: an absent value is missing',
    suggestion,
  });
  return undefined;
}

/** `event.kind == "logn"` can never be true: reports it. */
function canHold(node: CompareNode, context: Context): boolean {
  const [path, literal] = node.left.kind === 'string' ? [node.right, node.left] : [node.left, node.right];
  if (path.kind !== 'path' || literal.kind !== 'string') return true;
  const values = knownValues(path, context);
  if (values === undefined || values.includes(literal.value)) return true;
  const meant = nearest(literal.value, values);
  const suggestion = meant === undefined ? `one of ${values.join(', ')}` : `"${meant}"`;
  const message = `${printExpression(path)} is never ${JSON.stringify(literal.value)}`;
  context.report({ start: literal.start, end: literal.end, message, suggestion });
  return false;
}

type Compare = (left: Compiled, right: Compiled) => Predicate;

/**
 * Comparing a fact with a constant is by far the most common comparison, so it gets a closure without further calls.
 */
function compare(
  general: (left: Run, right: Run) => Predicate,
  withConstant: (slot: number, value: never) => Predicate,
): Compare {
  return (left, right) => {
    const value = right.constant ? right.run([]) : undefined;
    if (left.slot !== undefined && value !== undefined) return withConstant(left.slot, value as never);
    return general(left.run, right.run);
  };
}

/* Each operator with a constant is written out, so that the JavaScript engine can specialise each of them. */
const comparisons: Readonly<Record<Comparison, Compare>> = {
  '==': compare(
    (left, right) => (facts) => {
      const a = left(facts);
      const b = a === undefined ? undefined : right(facts);
      return b === undefined ? undefined : a === b;
    },
    (slot, value) => (facts) => (facts[slot] === undefined ? undefined : facts[slot] === value),
  ),
  '!=': compare(
    (left, right) => (facts) => {
      const a = left(facts);
      const b = a === undefined ? undefined : right(facts);
      return b === undefined ? undefined : a !== b;
    },
    (slot, value) => (facts) => (facts[slot] === undefined ? undefined : facts[slot] !== value),
  ),
  '<': compare(
    (left, right) => ordering(left, right, (a, b) => a < b),
    (slot, value: number) => (facts) => {
      const a = facts[slot];
      return a === undefined ? undefined : (a as number) < value;
    },
  ),
  '<=': compare(
    (left, right) => ordering(left, right, (a, b) => a <= b),
    (slot, value: number) => (facts) => {
      const a = facts[slot];
      return a === undefined ? undefined : (a as number) <= value;
    },
  ),
  '>': compare(
    (left, right) => ordering(left, right, (a, b) => a > b),
    (slot, value: number) => (facts) => {
      const a = facts[slot];
      return a === undefined ? undefined : (a as number) > value;
    },
  ),
  '>=': compare(
    (left, right) => ordering(left, right, (a, b) => a >= b),
    (slot, value: number) => (facts) => {
      const a = facts[slot];
      return a === undefined ? undefined : (a as number) >= value;
    },
  ),
};

/** Both sides have one type by now, so JavaScript's order is the type's own. */
function ordering(left: Run, right: Run, holds: (a: number, b: number) => boolean): Predicate {
  return (facts: Facts) => {
    const a = left(facts);
    const b = a === undefined ? undefined : right(facts);
    return b === undefined ? undefined : holds(a as number, b as number);
  };
}
