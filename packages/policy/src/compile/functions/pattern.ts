import { RE2JS, RE2JSException } from 're2js';

/** Bounds of one match. What it takes grows with both: the text, and the steps that the pattern compiles to. */
export const patternBounds = { textLength: 512, steps: 150, patternLength: 500 } as const;

/** Steps for each unit of the text and each step of the pattern that can be under way there: 6 ns most take, 26 the dearest. */
const costPerPlace = 1.5;
/** Where each unit decides alone which step comes next: one look at a table. */
const costPerUnit = 2;
const costOfCall = 20;

export interface Pattern {
  readonly apply: (text: string) => boolean | undefined;
  readonly cost: (text: { readonly length: number }) => number;
  /** It tells no text from another. */
  readonly idle?: { readonly message: string; readonly suggestion: string };
}

/** A regular expression, searched for anywhere in a text. Linear in the text's length, whatever the pattern. */
export function compilePattern(pattern: string): Pattern | { readonly wrong: string; readonly suggestion: string } {
  if (pattern.length > patternBounds.patternLength) {
    return { wrong: 'the pattern is too long', suggestion: `at most ${patternBounds.patternLength} characters` };
  }
  const compiled = compileSafely(pattern);
  if (typeof compiled === 'string') {
    return { wrong: compiled, suggestion: 'RE2 syntax: no look-around and no back-references' };
  }
  if (compiled.programSize() > patternBounds.steps) {
    return { wrong: 'the pattern is too large', suggestion: 'smaller counts in braces, or several patterns' };
  }
  // `test` keeps a state for each set of steps that it has met, up to 8 MiB of them for one pattern, and texts made for it
  // meet ever new ones, at some 10 µs each. `find` goes through the steps, each at most once for each unit, and keeps nothing.
  const apply = (text: string): boolean | undefined =>
    text.length > patternBounds.textLength ? undefined : compiled.matcher(text).find();
  const perUnit = compiled.re2().onepass === null ? costPerPlace * stepsUnderWay(compiled) : costPerUnit;
  const cost = ({ length }: { readonly length: number }): number =>
    costOfCall + Math.min(length, patternBounds.textLength) * perUnit;
  return matchesAny(compiled, pattern) ? { apply, cost, idle } : { apply, cost };
}

const idle = {
  message: 'the pattern matches any text: it is looked for anywhere in it',
  suggestion: '^ and $ around what the whole text must be, or has(…)',
};

/** Whether the pattern can end where it begins, at the beginning or at the end of whatever text. */
function matchesAny(compiled: RE2JS, pattern: string): boolean {
  if (/^\^?\.[*+]\$?$/.test(pattern)) return true;
  const { dfa, prog } = compiled.re2();
  return [beginFlags, endFlags].some((flags) =>
    dfa.closure([prog.start], flags).pcs.some((step) => prog.getInst(step).op === matched),
  );
}

/** Assertions that hold at the beginning and at the end of every text: `^` and `\A`, `$` and `\z`, of line and text. */
const [beginFlags, endFlags] = [0b0101, 0b1010];
/** The kind of the step at which a pattern has matched. */
const matched = 6;

/**
 * At most how many steps of the pattern can be under way behind one character: those that follow the steps which take
 * the character, and those at which the pattern begins. Few of `"gift|bonus|prize"`, all of `"[a-z]{1,60}"`.
 */
function stepsUnderWay(compiled: RE2JS): number {
  const { dfa } = compiled.re2();
  if (dfa.numClasses > classesMax) return compiled.programSize();
  const all = Array.from({ length: compiled.programSize() }, (_, step) => step);
  const everywhere = dfa.makeState(all, allFlags, []) as State;
  // Each class of characters, by the first that is in it.
  const most = [0, ...dfa.classBounds].reduce((most, character, place) => {
    const next = dfa.step(everywhere, place, character, unanchored) as State;
    return Math.max(most, dfa.closure(next.nfaStates, allFlags).pcs.length);
  }, 1);
  dfa.clearCache();
  return most;
}

interface State {
  /** Steps of the pattern that are under way. */
  readonly nfaStates: readonly number[];
}

/** Looked at for some milliseconds at most. Sets of letters of all scripts have hundreds. */
const classesMax = 100;
/** As if the place were the beginning and the end of a text, a line and a word at once. */
const allFlags = 0xff;
/** A match may begin anywhere. */
const unanchored = 0;

function compileSafely(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException)
      return `the pattern does not compile: ${error.message.replace('error parsing regexp: ', '')}`;
    throw error;
  }
}
