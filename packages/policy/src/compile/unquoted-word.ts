import { type Expression, type PathNode, pathText } from '../expression/node.ts';
import { nearest } from '../check/nearest.ts';
import type { Compiled, Context } from './compiled.ts';
import { wordFromElsewhere } from './foreign-names.ts';

/** The other operand of a word: its source, and its compiled form. */
export interface Beside {
  readonly node: Expression;
  /** `undefined` if it is itself a mistake. */
  readonly compiled: Compiled | undefined;
}

/** `transaction.category == transfer`: compiles the operand next to a text, or reports that its quotes are missing. */
export function compileBeside(node: Expression, beside: Beside, context: Context): Compiled | undefined {
  const word = bareWord(node, beside, context);
  if (word === undefined) return context.compile(node);
  const values = beside.node.kind === 'path' ? (knownValues(beside.node, context) ?? []) : [];
  const suggestion = JSON.stringify(nearest(word, values) ?? word);
  const { start, end } = node;
  context.report({ start, end, message: `there is no fact or feature ${word}`, suggestion });
  return undefined;
}

/** The word, if a text could be meant by it and it is not a known name. */
function bareWord(node: Expression, { compiled }: Beside, { locals, vocabulary }: Context): string | undefined {
  if (node.kind !== 'path' || node.parts.length > 1) return undefined;
  if (compiled !== undefined && (compiled.type !== 'string' || compiled.constant)) return undefined;
  const word = pathText(node);
  const isKnown = vocabulary.find(word) !== undefined || vocabulary.list(word) !== undefined || locals.has(word);
  if (
    isKnown ||
    wordFromElsewhere(word) !== undefined ||
    vocabulary.broken(word) ||
    vocabulary.refuses(word) !== undefined
  )
    return undefined;
  const names = [...vocabulary.paths()];
  const isGroup = names.some((name) => name.startsWith(`${word}.`));
  const texts = names.filter((name) => vocabulary.find(name)?.type === 'string');
  return isGroup || nearest(word, texts) !== undefined ? undefined : word;
}

/** Values that a string fact can take, if they are known. */
export function knownValues(node: PathNode, context: Context): readonly string[] | undefined {
  return context.locals.has(pathText(node)) ? undefined : context.vocabulary.find(pathText(node))?.values;
}
