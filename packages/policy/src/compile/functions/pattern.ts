import { RE2JS, RE2JSException } from 're2js';

/**
 * Bounds of one match, which takes time in the product of both: the text, and the steps that the pattern compiles to.
 * At these bounds the slowest pattern that we could find takes 4 ms, and a common one some microseconds.
 */
export const patternBounds = { textLength: 512, steps: 150, patternLength: 500 } as const;

/**
 * A match is looked up in tables that grow with the pattern: 100 ns for each of its steps is what most take, beside 20 ns
 * for each unit of the text.
 */
const costPerStep = 10;
const costPerUnit = 2;

export interface Pattern {
  readonly apply: (text: string) => boolean | undefined;
  readonly cost: (text: { readonly length: number }) => number;
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
  const steps = compiled.programSize();
  if (steps > patternBounds.steps) {
    return { wrong: 'the pattern is too large', suggestion: 'smaller counts in braces, or several patterns' };
  }
  const apply = (text: string): boolean | undefined =>
    text.length > patternBounds.textLength ? undefined : compiled.test(text);
  const cost = ({ length }: { readonly length: number }): number =>
    steps * costPerStep + Math.min(length, patternBounds.textLength) * costPerUnit;
  return { apply, cost };
}

function compileSafely(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException)
      return `the pattern does not compile: ${error.message.replace('error parsing regexp: ', '')}`;
    throw error;
  }
}
