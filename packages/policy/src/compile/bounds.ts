/**
 * The most steps of about 10 ns that one condition may cost: 5 ms. No event is worth more. `policyCostMax` bounds how
 * many such conditions a policy may have.
 */
export const costMax = 500_000;

/**
 * The most steps that all rules, features and messages together may cost for one event: 20 ms, and twice that for the
 * first one.
 */
export const policyCostMax = 2_000_000;

/**
 * The same for a policy of a development workspace: 12 ms. One event cannot be interrupted, so this is how long an event
 * of a production workspace in the same thread may have to wait. All packs together fit.
 */
export const developmentCostMax = 1_200_000;

/** The most steps for which an expression that reads no fact is computed at check time. */
export const foldedCostMax = 10_000;

/**
 * Functions that search or copy a text return missing for longer ones, so that no event can make a rule slow. Only the
 * encrypted `data` of a login is longer.
 */
export const textLengthMax = 4_096;

/**
 * Steps per unit of a text that is copied, compared or flattened: sequential memory access, several units per
 * nanosecond.
 */
const copyRate = 1 / 32;
/** Steps per unit of a text that becomes a map key, because its hash is computed. */
const hashRate = 1 / 8;

/** The cost of copying or comparing this many units of text. */
export function copyCost(length: number): number {
  return Math.ceil(length * copyRate);
}

/** The cost of looking up a text that was just built. */
export function hashCost(length: number): number {
  return Math.ceil(length * hashRate);
}

/** Functions that process a text return missing for longer ones. */
export function workedLength(length: number): number {
  return Math.min(length, textLengthMax);
}
