import type { Comparison, Expression } from '../expression/node.ts';
import { isExact, numberOf } from '../expression/literal.ts';
import { printExpression } from '../expression/print.ts';

/** A comparison with a literal: `event.hour >= 22`. */
export interface Bounding {
  readonly node: Expression;
  /** The left side, and its canonical text. */
  readonly about: Expression;
  readonly of: string;
  readonly operator: Comparison;
  readonly literal: string | number | boolean;
}

/** The same comparison with its sides swapped. */
export const turned: Readonly<Record<Comparison, Comparison>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};
const opposite: Readonly<Record<Comparison, Comparison>> = {
  '==': '!=',
  '!=': '==',
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
};

/** The condition as a comparison with a literal; `undefined` if it is not one. A fact alone is compared with `true`. */
export function boundingOf(node: Expression): Bounding | undefined {
  if (node.kind === 'path') return { node, about: node, of: printExpression(node), operator: '==', literal: true };
  if (node.kind === 'not') {
    const inner = boundingOf(node.of);
    return inner === undefined ? undefined : { ...negated(inner), node };
  }
  if (node.kind !== 'compare') return undefined;
  const [left, right] = [literalOf(node.left), literalOf(node.right)];
  if ((left === undefined) === (right === undefined)) return undefined;
  return left === undefined
    ? { node, about: node.left, of: printExpression(node.left), operator: node.operator, literal: right! }
    : { node, about: node.right, of: printExpression(node.right), operator: turned[node.operator], literal: left };
}

/** The comparison that is true if this one is false and nothing is missing. */
export function negated({ operator, ...rest }: Bounding): Bounding {
  return { ...rest, operator: opposite[operator] };
}

/** The same for a whole number, by the nearest number that it allows: `> 5` is `>= 6`. */
export function ofWholes(bounding: Bounding): Bounding {
  const { operator, literal } = bounding;
  if (typeof literal !== 'number') return bounding;
  if (operator === '>') return { ...bounding, operator: '>=', literal: Math.floor(literal) + 1 };
  if (operator === '<') return { ...bounding, operator: '<=', literal: Math.ceil(literal) - 1 };
  return bounding;
}

/** Whether two comparisons of the same value are never both true. */
export function exclude(a: Bounding, b: Bounding): boolean {
  if (a.of !== b.of || typeof a.literal !== typeof b.literal) return false;
  if (a.operator === '!=') return b.operator === '==' && a.literal === b.literal;
  if (b.operator === '!=') return exclude(b, a);
  if (a.operator === '==' && b.operator === '==') return a.literal !== b.literal;
  return typeof a.literal === 'number' && typeof b.literal === 'number' && (isBelow(a, b) || isBelow(b, a));
}

/** Whether everything that the first allows is less than everything that the second allows. */
function isBelow(a: Bounding, b: Bounding): boolean {
  const hasEnd = a.operator === '<' || a.operator === '<=' || a.operator === '==';
  const hasStart = b.operator === '>' || b.operator === '>=' || b.operator === '==';
  if (!hasEnd || !hasStart) return false;
  return a.literal < b.literal || (a.literal === b.literal && (a.operator === '<' || b.operator === '>'));
}

/** Numbers and durations by their size. */
function literalOf(node: Expression): Bounding['literal'] | undefined {
  if (node.kind === 'string' || node.kind === 'bool') return node.value;
  return isExact(node) ? numberOf(node) : undefined;
}
