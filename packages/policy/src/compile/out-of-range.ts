import type { Expression } from '../expression/node.ts';
import { printExpression } from '../expression/print.ts';
import type { Compiled, Context } from './compiled.ts';

/** Warns of a number beside something that is never that number: `hour(event.at) == 24`. */
export function warnOfRange(
  [node, compiled]: readonly [Expression, Compiled],
  literal: Expression,
  context: Context,
): void {
  const number = numberOf(literal);
  const { range } = compiled;
  if (range === undefined || number === undefined || (number >= range.min && number <= range.max)) return;
  const { start, end } = literal;
  const message = `${printExpression(node)} is never ${printExpression(literal)}`;
  context.report({ start, end, message, suggestion: range.text, severity: 'warning' });
}

function numberOf(node: Expression): number | undefined {
  if (node.kind === 'number') return Number(node.value);
  if (node.kind === 'duration') return node.ms;
  return node.kind === 'negate' && node.of.kind === 'number' ? -Number(node.of.value) : undefined;
}
