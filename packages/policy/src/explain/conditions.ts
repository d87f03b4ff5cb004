import type { Expression } from '../expression/node.ts';

/**
 * The parts of a condition between its `&&` and `||`: what a person wants to see, each with its outcome. A `!` stays with
 * the one comparison that it is about, so that of a rule that fired every part that had to hold does.
 */
export function conditionsOf(node: Expression): readonly Expression[] {
  if (node.kind === 'logic') return [...conditionsOf(node.left), ...conditionsOf(node.right)];
  if (node.kind !== 'not') return [node];
  return node.of.kind === 'logic' || node.of.kind === 'not' ? conditionsOf(node.of) : [node];
}
