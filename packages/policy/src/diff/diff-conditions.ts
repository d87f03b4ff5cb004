import { conditionsOf } from '../explain/conditions.ts';
import { type Expression, partsOf } from '../expression/node.ts';
import { parseExpression } from '../expression/parse.ts';
import { printExpression } from '../expression/print.ts';

/**
 * How a condition differs from another, both in canonical form. If their parts are joined in the same way: each part
 * that differs. If parts were only added or only removed: those. Otherwise both whole conditions, so that no changed
 * `||` is hidden.
 */
export function conditionChanges(before: string, after: string): readonly string[] {
  if (before === after) return [];
  const [old, present] = [expressionOf(before), expressionOf(after)];
  if (old === undefined || present === undefined) return [wholeChange(before, after)];
  if (joinsOf(old) === joinsOf(present)) return partChanges(conditionsOf(old), conditionsOf(present));
  return conjunctChanges(conjunctsOf(old), conjunctsOf(present)) ?? [wholeChange(before, after)];
}

/** `undefined` if parameter values made it longer than an expression may be. */
function expressionOf(text: string): Expression | undefined {
  return parseExpression(text, () => undefined);
}

function wholeChange(before: string, after: string): string {
  return `condition ${before} to ${after}`;
}

/** How the parts returned by `conditionsOf` are joined: equal texts, joined in the same way. */
function joinsOf(node: Expression): string {
  if (node.kind === 'logic') return `(${joinsOf(node.left)} ${node.operator} ${joinsOf(node.right)})`;
  if (node.kind === 'not' && conditionsOf(node)[0] !== node) return `!${joinsOf(node.of)}`;
  return 'part';
}

/** For conditions whose parts are joined in the same way. */
function partChanges(before: readonly Expression[], after: readonly Expression[]): readonly string[] {
  return before.flatMap((old, at) => {
    const present = after[at]!;
    const [was, is] = [printExpression(old), printExpression(present)];
    return was === is ? [] : [thresholdChange(old, present) ?? wholeChange(was, is)];
  });
}

/** `clientPaid5m >= 6` to `clientPaid5m >= 5`: identical except for the literal at the end. */
function thresholdChange(before: Expression, after: Expression): string | undefined {
  if (before.kind !== 'compare' || after.kind !== 'compare' || before.operator !== after.operator) return undefined;
  const [left, was, is] = [before.left, before.right, after.right].map(printExpression);
  if (left !== printExpression(after.left) || !isPlain(before.right) || !isPlain(after.right)) return undefined;
  return `threshold of ${left} ${was} to ${is}`;
}

/** A literal, or a name. */
function isPlain(node: Expression): boolean {
  return node.kind === 'negate' ? isPlain(node.of) : partsOf(node).length === 0;
}

/** The parts that all must be true. */
function conjunctsOf(node: Expression): readonly string[] {
  return node.kind === 'logic' && node.operator === '&&'
    ? [...conjunctsOf(node.left), ...conjunctsOf(node.right)]
    : [printExpression(node)];
}

/** `undefined` unless parts that all must be true were only added or only removed. */
function conjunctChanges(before: readonly string[], after: readonly string[]): readonly string[] | undefined {
  const gone = before.filter((text) => !after.includes(text));
  const added = after.filter((text) => !before.includes(text));
  if (added.length === 0 && gone.length > 0) return gone.map((text) => `no longer requires ${text}`);
  if (gone.length === 0 && added.length > 0) return added.map((text) => `also requires ${text}`);
  return undefined;
}
