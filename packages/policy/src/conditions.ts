import type { Expression } from './expression/node.ts';

/** The parts of a condition between its `&&`, `||` and `!`: what a person wants to see, each with its outcome. */
export function conditionsOf(node: Expression): readonly Expression[] {
  if (node.kind === 'logic') return [...conditionsOf(node.left), ...conditionsOf(node.right)];
  return node.kind === 'not' ? conditionsOf(node.of) : [node];
}
