import { plainLetters } from './plain-letters.ts';

/** Of a longer text the beginning is compared: the time grows with the product of both lengths. */
export const nameLengthMax = 64;

/** A text with more words is not a name; the first are compared, each with each. */
export const wordsMax = 10;

/** The length of a common beginning that counts more, and its weight: Winkler's values. */
const prefixLengthMax = 4;
const prefixWeight = 0.1;

/**
 * The similarity of two texts, from 0 to 1 for equal: Jaro's measure, raised for a common beginning by Winkler's rule.
 *
 * Source: W. E. Winkler, String Comparator Metrics and Enhanced Decision Rules in the Fellegi-Sunter Model (1990).
 */
export function jaroWinkler(a: string, b: string): number {
  const jaro = jaroSimilarity(a, b);
  let prefix = 0;
  while (prefix < prefixLengthMax && prefix < a.length && a[prefix] === b[prefix]) prefix++;
  return jaro + prefix * prefixWeight * (1 - jaro);
}

/** Which letters of the other text were matched, and these letters in order. */
const taken = new Uint8Array(nameLengthMax);
const matched = new Uint16Array(nameLengthMax);

function jaroSimilarity(a: string, b: string): number {
  if (a === b) return 1;
  const reach = Math.max(0, (Math.max(a.length, b.length) >> 1) - 1);
  taken.fill(0, 0, b.length);
  let count = 0;
  for (let at = 0; at < a.length; at++) {
    const letter = a.charCodeAt(at);
    const end = Math.min(b.length, at + reach + 1);
    for (let other = Math.max(0, at - reach); other < end; other++) {
      if (taken[other] === 1 || letter !== b.charCodeAt(other)) continue;
      taken[other] = 1;
      matched[count++] = letter;
      break;
    }
  }
  if (count === 0) return 0;
  let [at, swapped] = [0, 0];
  for (let other = 0; other < b.length; other++) {
    if (taken[other] === 1 && matched[at++] !== b.charCodeAt(other)) swapped++;
  }
  return (count / a.length + count / b.length + (count - swapped / 2) / count) / 3;
}

/**
 * The similarity of two names, ignoring the order of their words, case and accents. Each word of either name counts by
 * the most similar word of the other; longer words count more.
 */
export function nameSimilarity(a: string, b: string): number {
  const [left, right] = [wordsOf(a), wordsOf(b)];
  if (left.length === 0 || right.length === 0) return left.length === right.length ? 1 : 0;
  const bestOfRight = right.map(() => 0);
  let alike = 0;
  for (const word of left) {
    let best = 0;
    for (const [at, other] of right.entries()) {
      const likeness = jaroWinkler(word, other);
      best = Math.max(best, likeness);
      bestOfRight[at] = Math.max(bestOfRight[at] ?? 0, likeness);
    }
    alike += best * word.length;
  }
  for (const [at, word] of right.entries()) alike += (bestOfRight[at] ?? 0) * word.length;
  return alike / [...left, ...right].reduce((sum, word) => sum + word.length, 0);
}

/** How far a name is looked at for letters: it may be padded with characters that show nothing. */
const writtenLengthMax = 512;

/** Separators between the words of a name. */
const separators = /[\s.,;:'"()/_-]+/;

function wordsOf(name: string): readonly string[] {
  return plainLetters(name.slice(0, writtenLengthMax))
    .slice(0, nameLengthMax)
    .split(separators)
    .filter((word) => word !== '')
    .slice(0, wordsMax);
}
