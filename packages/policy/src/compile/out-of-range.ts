import { turned } from '../lint/bounded-values.ts';
import { numberOf } from '../expression/literal.ts';
import type { Comparison, Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import type { NumberRange } from '../facts/number-range.ts';
import type { Compiled, Context } from './compiled.ts';

/**
 * Warns of a comparison with a number that the value can never be: `event.hour in [24]`, or `order == 1.5` for a whole
 * number.
 */
export function warnOfRange(
  [node, { range, type }]: readonly [Expression, Compiled],
  literal: Expression,
  context: Context,
): void {
  const number = numberOf(literal);
  if (number === undefined) return;
  const isOdd = (type === 'int' || type === 'uint') && !Number.isInteger(number);
  const suggestion = range !== undefined && !isIn(range, number) ? range.text : isOdd ? 'a whole number' : undefined;
  if (suggestion === undefined) return;
  const { start, end } = literal;
  const message = `${printExpression(node)} is never ${printExpression(literal)}`;
  context.report({ start, end, message, suggestion, severity: 'warning' });
}

/** Warns of a comparison that is true for no possible value: `event.hour > 23`, `clientPaid5m < 0`. */
export function warnOfComparison(
  node: Expression & { readonly kind: 'compare' },
  [left, right]: readonly [Compiled, Compiled],
  context: Context,
): void {
  warnOfSide([node.left, left], { node, operator: node.operator, literal: node.right }, context);
  warnOfSide([node.right, right], { node, operator: turned[node.operator], literal: node.left }, context);
}

function warnOfSide(
  [of, compiled]: readonly [Expression, Compiled],
  { node, operator, literal }: { node: Expression; operator: Comparison; literal: Expression },
  context: Context,
): void {
  const { range } = compiled;
  const number = numberOf(literal);
  const isEquality = operator === '==' || operator === '!=';
  if (number === undefined || (range === undefined && !isEquality)) return;
  if (isEquality || !isIn(range!, number)) {
    warnOfRange([of, compiled], literal, context);
    return;
  }
  // A comparison that is always true usually documents the other end of a range: `event.hour >= 0 && event.hour < 6`.
  if (ordered(operator, range!.min, number) || ordered(operator, range!.max, number)) return;
  const message = `${printExpression(node)} is never true`;
  const suggestion = `it is ${range!.text}`;
  context.report({ start: node.start, end: node.end, message, suggestion, severity: 'warning' });
}

function ordered(operator: Comparison, value: number, number: number): boolean {
  if (operator === '<') return value < number;
  if (operator === '<=') return value <= number;
  return operator === '>' ? value > number : value >= number;
}

function isIn({ min, max, only }: NumberRange, number: number): boolean {
  return number >= min && number <= max && only?.includes(number) !== false;
}
