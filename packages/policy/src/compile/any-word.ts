import type { CallNode, Expression } from '../expression/node.ts';
import { namesIn, pathText } from '../expression/node.ts';
import type { Facts, Predicate } from '../facts/fact-value.ts';
import { workedLength } from './bounds.ts';
import { combine, type Compiled, type Context } from './compiled.ts';
import { partLengthMax } from './functions/text.ts';
import type { Value } from './value.ts';
import { WordSearch } from './word-search.ts';

/** The most letters of all words that are searched for together: up to a microsecond each after a list has changed. */
const lettersMax = 32_768;
/** Steps per unit of the text, and per word. */
const passRate = 0.8;
const wordCost = 3;

/** A list to iterate over, reduced to what is needed here. */
export interface Words {
  readonly part: Compiled;
  readonly count: number;
  readonly values: (facts: Facts) => readonly Value[] | undefined;
}

/**
 * `words.exists(word, text.contains(word))`: searches for all words in one pass over the text. `undefined` for any
 * other call. The result is the same as word by word.
 */
export function anyWord(node: CallNode, words: Words, context: Context): Compiled | undefined {
  const text = searchedText(node, context);
  if (text?.type !== 'string' || words.part.type !== 'list<string>') return undefined;
  if (words.count * Math.min(words.part.length, partLengthMax) > lettersMax) return undefined;
  return combine('bool', [words.part, text], {
    name: 'contains',
    run: isKept(words.part) ? search(words.values, text) : oneByOne(words.values, text),
    cost: Math.ceil(passRate * workedLength(text.length)) + wordCost * words.count,
  });
}

/** The text, if it is the same for all words. */
function searchedText({ name, args: [bound, body] }: CallNode, context: Context): Compiled | undefined {
  if (name !== 'exists' || bound?.kind !== 'path' || body?.kind !== 'call' || body.name !== 'contains')
    return undefined;
  const [sought] = body.args;
  const { receiver } = body;
  if (receiver === undefined || body.args.length !== 1 || !isName(sought, pathText(bound))) return undefined;
  return namesIn(receiver).has(pathText(bound)) ? undefined : context.compile(receiver);
}

function isName(node: Expression | undefined, name: string): boolean {
  return node?.kind === 'path' && pathText(node) === name;
}

function search(valuesOf: Words['values'], { run }: Compiled): Predicate {
  let last = wordsOf([]);
  return (facts) => {
    const values = valuesOf(facts);
    if (values === undefined || values.length === 0) return values === undefined ? undefined : false;
    const text = run(facts) as string | undefined;
    if (text === undefined || text.length !== workedLength(text.length)) return undefined;
    if (!isSame(last.values, values)) last = wordsOf(values);
    if (last.words.isIn(text)) return true;
    return last.isWhole ? false : undefined;
  };
}

/** Whether the words stay the same between events: those of a policy's own lists, including live ones. */
function isKept({ constant, declared }: Compiled): boolean {
  return constant || declared !== undefined;
}

/**
 * Words that come with each event: building the search tree takes some 70 ns per letter, a hundred times as long as
 * searching an ordinary text for each. They are still counted as one pass over the text, so that stored policies keep
 * checking. Measured: 60 words take 5 µs of the 7 counted; words built to be slow take up to 15 µs each.
 */
function oneByOne(valuesOf: Words['values'], { run }: Compiled): Predicate {
  return (facts) => {
    const values = valuesOf(facts);
    if (values === undefined || values.length === 0) return values === undefined ? undefined : false;
    const text = run(facts) as string | undefined;
    if (text === undefined || text.length !== workedLength(text.length)) return undefined;
    let isWhole = true;
    for (const word of values) {
      if (typeof word !== 'string' || word.length > partLengthMax) isWhole = false;
      else if (text.includes(word)) return true;
    }
    return isWhole ? false : undefined;
  };
}

/**
 * The words of a list. If one is missing or too long to search for, the result is missing unless another word is found.
 */
function wordsOf(values: readonly Value[]): {
  readonly values: readonly Value[];
  readonly words: WordSearch;
  readonly isWhole: boolean;
} {
  const words = values.filter((word) => typeof word === 'string' && word.length <= partLengthMax);
  return { values, words: new WordSearch(words as readonly string[]), isWhole: words.length === values.length };
}

function isSame(before: readonly Value[], now: readonly Value[]): boolean {
  return before === now || (before.length === now.length && before.every((value, at) => value === now[at]));
}
