/** How many UTF-16 units are converted to a text in one call: `fromCharCode` accepts this many safely. */
export const chunk = 1_024;

/**
 * A buffer of units, with room for one that becomes two. A reused array is filled several times as fast as a growing
 * one.
 */
export const units: number[] = Array.from({ length: chunk + 1 }, () => 0);

/** The first `count` of `units` as a text. */
export function textOfUnits(count: number): string {
  return String.fromCharCode.apply(undefined, units.slice(0, count));
}
