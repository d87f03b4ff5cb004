import type { Prose } from '../prose.ts';
import type { Finding } from '../source-file.ts';

/** A phrase that is nearly always the wrong one, and what to write instead. */
interface Tic {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Add a phrase here when it was found twice. */
const tics: readonly Tic[] = [
  { pattern: /\bso (?:many|much)\b/i, instead: 'name the number: "this many", "at most 5"' },
  { pattern: /\bwhoever\b/i, instead: 'name the person or the part: "the caller", "a client that"' },
  { pattern: /\bsomebody\b/i, instead: 'name the person: "a user", "another person"' },
  { pattern: /(?<!["`'])\bnobody\b(?!["`'])/i, instead: 'turn the sentence around: "no client", "without a user"' },
  {
    pattern: /(?<!\bthere )\b(?:is|are) none\b/i,
    instead: 'say what is missing: "without an alert", "if there is none"',
  },
  { pattern: /\btold apart\b|\bto be told\b/i, instead: '"distinguished"' },
  { pattern: /\bstands\b(?! in for| on)/i, instead: '"is", "means", "contains"' },
  {
    pattern: /\b(?:process|thread|transaction|folder|session|key|clock|table) of (?:its|their) own\b/i,
    instead: '"its own thread", "a separate process"',
  },
  { pattern: /\banew\b/i, instead: '"again"' },
  { pattern: /\bto and fro\b/i, instead: '"back and forth"' },
  { pattern: /\bby turns\b/i, instead: '"alternately"' },
  { pattern: /\bat the (?:least|most)\b(?! \w)/i, instead: '"at least", "at most"' },
  { pattern: /\b(?:became|becomes) of\b/i, instead: '"the result of"' },
  { pattern: /\bof before\b/i, instead: '"earlier", "known"' },
  { pattern: /\bwithout a word\b/i, instead: '"silently"' },
  { pattern: /\b(?:lets?|takes?) .* at a time, in the order\b/i, instead: 'the textbook term: a semaphore, a queue' },
];

/** Phrases in which a tic is the right word, by file. An entry that is not needed fails. */
export const rightWords: Readonly<Record<string, readonly string[]>> = {
  // Messages that reach the bank's clients: they are data of the pack.
  'apps/server/policies/packs/device-and-network.yaml': ['somebody else’s'],
};

/** Phrases of the old grammar in comments, messages, labels and names of tests. */
export function proseFindings(texts: readonly Prose[]): readonly Finding[] {
  return texts.flatMap(({ path, line, text }) =>
    tics
      .map(({ pattern, instead }) => ({ found: pattern.exec(text)?.[0], instead }))
      .filter(({ found }) => found !== undefined && rightWords[path]?.some((phrase) => text.includes(phrase)) !== true)
      .map(({ found, instead }) => `${path}:${line}: "${found}": ${instead}`),
  );
}

/** Entries of `rightWords` that no text contains. */
export function unusedRightWords(texts: readonly Prose[]): readonly string[] {
  return Object.entries(rightWords).flatMap(([path, phrases]) =>
    phrases
      .filter((phrase) => !texts.some((prose) => prose.path === path && prose.text.includes(phrase)))
      .map((phrase) => `${path}: ${phrase}`),
  );
}
