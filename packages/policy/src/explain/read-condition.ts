import type { Expression } from '../expression/node.ts';
import { parseExpression } from '../expression/parse.ts';

/**
 * The structure of a condition, for tools that show it in parts. Its names and types are not checked.
 *
 * @returns `undefined` if the text is not an expression
 */
export function readCondition(text: string): Expression | undefined {
  return parseExpression(text, () => undefined);
}
