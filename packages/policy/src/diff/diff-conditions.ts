import { conditionsOf } from '../explain/conditions.ts';
import { type Expression, partsOf } from '../expression/node.ts';
import { parseExpression } from '../expression/parse.ts';
import { printExpression } from '../expression/print.ts';

/**
 * What a condition asks otherwise than another, both in canonical form. Where its parts are joined as before, each part
 * that differs; where parts only came or only went, those; else the whole of both, so that no `||` hides behind a part.
 */
export function conditionChanges(before: string, after: string): readonly string[] {
  if (before === after) return [];
  const [old, present] = [expressionOf(before), expressionOf(after)];
  if (old === undefined || present === undefined) return [wholeChange(before, after)];
  if (joinsOf(old) === joinsOf(present)) return partChanges(conditionsOf(old), conditionsOf(present));
  return conjunctChanges(conjunctsOf(old), conjunctsOf(present)) ?? [wholeChange(before, after)];
}

/** `undefined` when the values of parameters made it longer than an expression may be. */
function expressionOf(text: string): Expression | undefined {
  return parseExpression(text, () => undefined);
}

function wholeChange(before: string, after: string): string {
  return `condition ${before} to ${after}`;
}

/** How the parts that `conditionsOf` gives are joined: equal texts, joined alike. */
function joinsOf(node: Expression): string {
  if (node.kind === 'logic') return `(${joinsOf(node.left)} ${node.operator} ${joinsOf(node.right)})`;
  if (node.kind === 'not' && conditionsOf(node)[0] !== node) return `!${joinsOf(node.of)}`;
  return 'part';
}

/** Of conditions whose parts are joined alike. */
function partChanges(before: readonly Expression[], after: readonly Expression[]): readonly string[] {
  return before.flatMap((old, at) => {
    const present = after[at]!;
    const [was, is] = [printExpression(old), printExpression(present)];
    return was === is ? [] : [thresholdChange(old, present) ?? wholeChange(was, is)];
  });
}

/** `clientPaid5m >= 6` to `clientPaid5m >= 5`: the same but for the plain value at the end. */
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

/** What all has to hold. */
function conjunctsOf(node: Expression): readonly string[] {
  return node.kind === 'logic' && node.operator === '&&'
    ? [...conjunctsOf(node.left), ...conjunctsOf(node.right)]
    : [printExpression(node)];
}

/** `undefined` when not only came or only went what all has to hold. */
function conjunctChanges(before: readonly string[], after: readonly string[]): readonly string[] | undefined {
  const gone = before.filter((text) => !after.includes(text));
  const added = after.filter((text) => !before.includes(text));
  if (added.length === 0 && gone.length > 0) return gone.map((text) => `asks no more for ${text}`);
  if (gone.length === 0 && added.length > 0) return added.map((text) => `asks for ${text} as well`);
  return undefined;
}
