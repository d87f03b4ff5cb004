import type { Comparison, Expression } from '../expression/node.ts';
import { isExact, numberOf } from '../expression/literal.ts';
import { printExpression } from '../expression/print.ts';

/** A comparison of something with a literal: `event.hour >= 22`. */
export interface Bounding {
  readonly node: Expression;
  /** What is compared, and the same in canonical form. */
  readonly about: Expression;
  readonly of: string;
  readonly operator: Comparison;
  readonly literal: string | number | boolean;
}

/** The same comparison with its sides changed. */
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

/** The condition as a comparison with a literal; `undefined` when it is none. A fact alone is compared with `true`. */
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

/** What holds where the comparison does not, and nothing is missing. */
export function negated({ operator, ...rest }: Bounding): Bounding {
  return { ...rest, operator: opposite[operator] };
}

/** The same of a whole number, by the nearest one that it allows: `> 5` is `>= 6`. */
export function ofWholes(bounding: Bounding): Bounding {
  const { operator, literal } = bounding;
  if (typeof literal !== 'number') return bounding;
  if (operator === '>') return { ...bounding, operator: '>=', literal: Math.floor(literal) + 1 };
  if (operator === '<') return { ...bounding, operator: '<=', literal: Math.ceil(literal) - 1 };
  return bounding;
}

/** Whether two comparisons of the same thing never hold together. */
export function exclude(a: Bounding, b: Bounding): boolean {
  if (a.of !== b.of || typeof a.literal !== typeof b.literal) return false;
  if (a.operator === '!=') return b.operator === '==' && a.literal === b.literal;
  if (b.operator === '!=') return exclude(b, a);
  if (a.operator === '==' && b.operator === '==') return a.literal !== b.literal;
  return typeof a.literal === 'number' && typeof b.literal === 'number' && (isBelow(a, b) || isBelow(b, a));
}

/** Whether all that the first allows is less than all that the second does. */
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
