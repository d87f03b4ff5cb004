/**
 * Steps of about 10 ns that one condition may take: 5 ms. Whoever needs more has written down what no event is worth; how
 * many such conditions a policy may have is another question (`policyCostMax`).
 */
export const costMax = 500_000;

/** Steps that all rules, features and messages together may take for one event: 20 ms, and twice that for the first one. */
export const policyCostMax = 2_000_000;

/** Steps up to which what reads no fact is computed when it is checked. */
export const foldedCostMax = 10_000;

/**
 * Texts longer than this are missing to the functions that search or copy them, so that no event can make a rule slow.
 * Only the encrypted `data` of a login is longer.
 */
export const textLengthMax = 4_096;

/** Steps for each unit of a text that is copied, compared or made one piece: runs of memory, some units to a nanosecond. */
const copyRate = 1 / 32;
/** Steps for each unit of a text that becomes a key: its hash is computed. */
const hashRate = 1 / 8;

/** What it takes to copy or compare so many units of text. */
export function copyCost(length: number): number {
  return Math.ceil(length * copyRate);
}

/** What it takes to look a text up that was just built. */
export function hashCost(length: number): number {
  return Math.ceil(length * hashRate);
}

/** Longer texts are missing to the functions that would work on them. */
export function workedLength(length: number): number {
  return Math.min(length, textLengthMax);
}
