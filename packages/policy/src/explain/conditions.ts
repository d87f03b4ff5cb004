import type { Expression } from '../expression/node.ts';

/**
 * The parts of a condition between its `&&` and `||`, which people want to see with their results. A `!` stays with a
 * single comparison, so that for a rule that fired, every required part is true.
 */
export function conditionsOf(node: Expression): readonly Expression[] {
  if (node.kind === 'logic') return [...conditionsOf(node.left), ...conditionsOf(node.right)];
  if (node.kind !== 'not') return [node];
  return node.of.kind === 'logic' || node.of.kind === 'not' ? conditionsOf(node.of) : [node];
}
