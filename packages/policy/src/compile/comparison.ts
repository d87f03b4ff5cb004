import type { BinaryNode, Comparison, Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import { nearest } from '../nearest.ts';
import type { FactType, Facts, Predicate } from '../policy.ts';
import { exactly } from './arithmetic.ts';
import { aType, combine, type Compiled, type Context, type Run } from './compiled.ts';
import { isNumeric } from './numbers.ts';
import { knownValues } from './paths.ts';

type CompareNode = BinaryNode<Comparison>;

/** Types whose values have an order. Text is ordered by its UTF-16 units. */
const ordered: ReadonlySet<FactType> = new Set(['int', 'double', 'decimal', 'string', 'timestamp', 'duration']);

/** `== != < <= > >=`, between values of one type or any two numbers. With a missing side the outcome is missing. */
export function compileComparison(node: CompareNode, context: Context): Compiled | undefined {
  if (node.left.kind === 'null' || node.right.kind === 'null') return refuseNull(node, context);
  const sides = comparable(node, [context.compile(node.left), context.compile(node.right)], context);
  if (sides === undefined) return undefined;
  const [left, right] = sides;
  if (node.operator !== '==' && node.operator !== '!=' && !ordered.has(left.type)) {
    const message = `${node.operator} does not work on ${aType(left.type)}`;
    context.report({ start: node.start, end: node.end, message, suggestion: '== or !=' });
    return undefined;
  }
  if (!canHold(node, context)) return undefined;
  return combine('bool', sides, { run: comparisons[node.operator](left, right) });
}

/** Both sides as one type, or `undefined` when there is none; then that was reported. */
export function comparable(
  node: { readonly left: Expression; readonly right: Expression; readonly start: number; readonly end: number },
  [left, right]: readonly [Compiled | undefined, Compiled | undefined],
  context: Context,
): readonly [Compiled, Compiled] | undefined {
  if (left === undefined || right === undefined) return undefined;
  if (isNumeric(left.type) && isNumeric(right.type)) {
    if (left.type !== 'decimal' && right.type !== 'decimal') return [left, right];
    const exactLeft = exactly(node.left, left, context);
    const exactRight = exactly(node.right, right, context);
    return exactLeft === undefined || exactRight === undefined ? undefined : [exactLeft, exactRight];
  }
  if (left.type === right.type && left.type !== 'map') return [left, right];
  const message = `${printExpression(node.left)} is ${aType(left.type)} and can't be compared with ${aType(right.type)}`;
  context.report({ start: node.start, end: node.end, message, suggestion: hintFor(left.type, right.type, node.right) });
  return undefined;
}

function hintFor(left: FactType, right: FactType, rightNode: Expression): string | undefined {
  if (left === 'map') return 'a member, such as transaction.details["key"]';
  if (left === 'duration' && isNumeric(right))
    return `a duration: ${printExpression(rightNode)}s, ${printExpression(rightNode)}m or ${printExpression(rightNode)}h`;
  if (left === 'timestamp') return 'timestamp("2026-01-31T00:00:00Z"), or event.at - x > 15m';
  if (isNumeric(left) && rightNode.kind === 'string') return 'a number without quotes';
  if (left === 'string' && isNumeric(right))
    return `"${printExpression(rightNode)}", or decimal(x) for a text that holds a number`;
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
    message: 'nothing is null in a policy: what is absent is missing',
    suggestion,
  });
  return undefined;
}

/** `event.kind == "logn"` can never hold: reports it. */
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

/** A fact beside a constant is by far the commonest comparison, and gets a closure without further calls. */
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

/* With a constant, each operator is written out, so that the runtime under us can specialise each of them. */
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

/** Both sides are of one type by now, so that JavaScript's order is the type's own. */
function ordering(left: Run, right: Run, holds: (a: number, b: number) => boolean): Predicate {
  return (facts: Facts) => {
    const a = left(facts);
    const b = a === undefined ? undefined : right(facts);
    return b === undefined ? undefined : holds(a as number, b as number);
  };
}
