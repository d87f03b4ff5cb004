import { type Expression, partsOf, pathText } from '../expression/node.ts';
import { parseExpression } from '../expression/parse.ts';
import { parseNetwork } from '../values/networks.ts';
import type { Read, Rule } from '../policy.ts';

/**
 * Facts that a rule reads in parts. A whole fact is compared by `==` or `!=` with a literal, looked up by `in` among
 * literals or in a list, or tested with `has`. Any other use, including ranges of addresses, could be used to guess a
 * hidden value character by character.
 */
export function factsReadInPart({ text, reads }: Pick<Rule, 'text' | 'reads'>): readonly Read[] {
  const node = parseExpression(text, () => undefined);
  // Parameter values can make it longer than an expression may be.
  if (node === undefined) return reads;
  const found = new Set<string>();
  const visit = (part: Expression): void => {
    if (part.kind === 'path') found.add(pathText(part));
    partsOf(part)
      .filter((inner) => !(isWhole(part, inner) && isFact(inner)))
      .forEach(visit);
  };
  visit(node);
  return reads.filter(({ path }) => [...found].some((name) => name === path || name.startsWith(`${path}.`)));
}

function isFact(node: Expression): boolean {
  if (node.kind === 'index') return isFact(node.of) && isLiteral(node.key);
  // A pair that is looked up.
  return node.kind === 'path' || (node.kind === 'list' && node.items.every(isFact));
}

function isWhole(node: Expression, part: Expression): boolean {
  switch (node.kind) {
    case 'compare':
      return ['==', '!='].includes(node.operator) && isLiteral(node.left === part ? node.right : node.left);
    case 'in':
      return node.left === part ? isPlainList(node.right) : isLiteral(node.left);
    case 'call':
      return node.name === 'has' && node.receiver === undefined;
    default:
      return false;
  }
}

function isPlainList(node: Expression): boolean {
  if (node.kind === 'path') return node.parts[0]?.name === 'lists';
  return node.kind === 'list' && node.items.every((item) => isLiteral(item) && !isRange(item));
}

function isRange(node: Expression): boolean {
  return node.kind === 'string' && node.value.includes('/') && parseNetwork(node.value) !== undefined;
}

function isLiteral(node: Expression): boolean {
  if (node.kind === 'negate') return node.of.kind === 'number';
  return ['number', 'string', 'bool', 'bytes', 'null', 'duration'].includes(node.kind);
}
