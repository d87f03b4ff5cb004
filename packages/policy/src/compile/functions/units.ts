/** How many UTF-16 units are made into a text at once: `fromCharCode` takes so many without trouble. */
export const chunk = 1_024;

/**
 * Units on their way into a text, with room for one that became two. An array that stays is filled several times as
 * fast as one that grows.
 */
export const units: number[] = Array.from({ length: chunk + 1 }, () => 0);

/** The first `count` of `units` as a text. */
export function textOfUnits(count: number): string {
  return String.fromCharCode.apply(undefined, units.slice(0, count));
}
