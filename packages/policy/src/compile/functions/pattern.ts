import { RE2JS, RE2JSException } from 're2js';

/**
 * Bounds of one match. Its cost grows with both: the length of the text, and the number of steps that the pattern
 * compiles to.
 */
export const patternBounds = { textLength: 512, steps: 150, patternLength: 500 } as const;

/**
 * Steps per unit of the text and per step of the pattern that can be active there: most cost 6 ns, the most expensive
 * 26.
 */
const costPerPlace = 1.5;
/** Cost if each unit alone determines the next step: one table lookup. */
const costPerUnit = 2;
const costOfCall = 20;

export interface Pattern {
  readonly apply: (text: string) => boolean | undefined;
  readonly cost: (text: { readonly length: number }) => number;
  /** It matches every text, so it distinguishes nothing. */
  readonly warning?: { readonly message: string; readonly suggestion: string };
}

/** A regular expression, searched for anywhere in a text. Linear in the length of the text, whatever the pattern. */
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
  // `test` caches a state for each set of steps that it meets, up to 8 MiB per pattern, and hostile texts produce new
  // sets all the time, at some 10 µs each. `find` visits each step at most once per unit and caches nothing.
  const find = (text: string): boolean => compiled.matcher(text).find();
  const isOpen = !/\$|\\[zbB]/.test(pattern);
  const apply = (text: string): boolean | undefined => {
    if (text.length <= patternBounds.textLength) return find(text);
    // What is found in the beginning is in the text, unless the pattern asks where the text or a word ends.
    return isOpen && find(text.slice(0, patternBounds.textLength)) ? true : undefined;
  };
  const perUnit = compiled.re2().onepass === null ? costPerPlace * stepsUnderWay(compiled) : costPerUnit;
  const cost = ({ length }: { readonly length: number }): number =>
    costOfCall + Math.min(length, patternBounds.textLength) * perUnit;
  return matchesAny(compiled, pattern) ? { apply, cost, warning: idle } : { apply, cost };
}

const idle = {
  message: 'the pattern matches any text, because it is searched for anywhere in it',
  suggestion: '^ and $ around the pattern to match the whole text, or has(…)',
};

/** Whether the pattern can match the empty string, at the beginning or at the end of any text. */
function matchesAny(compiled: RE2JS, pattern: string): boolean {
  if (/^\^?\.[*+]\$?$/.test(pattern)) return true;
  const { dfa, prog } = compiled.re2();
  return [beginFlags, endFlags].some((flags) =>
    dfa.closure([prog.start], flags).pcs.some((step) => prog.getInst(step).op === matched),
  );
}

/**
 * Assertions that are true at the beginning and at the end of every text: `^` and `\A`, `$` and `\z`, of line and text.
 */
const [beginFlags, endFlags] = [0b0101, 0b1010];
/** The kind of the step that ends a match. */
const matched = 6;

/**
 * The most steps of the pattern that can be active after one character: those that follow the steps accepting that
 * character, and those that begin the pattern. Few for `"gift|bonus|prize"`, all for `"[a-z]{1,60}"`.
 */
function stepsUnderWay(compiled: RE2JS): number {
  const { dfa } = compiled.re2();
  if (dfa.numClasses > classesMax) return compiled.programSize();
  const all = Array.from({ length: compiled.programSize() }, (_, step) => step);
  const everywhere = dfa.makeState(all, allFlags, []) as State;
  // Each class of characters, represented by its first character.
  const most = [0, ...dfa.classBounds].reduce((most, character, place) => {
    const next = dfa.step(everywhere, place, character, unanchored) as State;
    return Math.max(most, dfa.closure(next.nfaStates, allFlags).pcs.length);
  }, 1);
  dfa.clearCache();
  return most;
}

interface State {
  /** The active steps of the pattern. */
  readonly nfaStates: readonly number[];
}

/** Bounds the check to some milliseconds. Character classes of all scripts have hundreds of ranges. */
const classesMax = 100;
/** As if the position were the beginning and the end of a text, a line and a word at the same time. */
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
