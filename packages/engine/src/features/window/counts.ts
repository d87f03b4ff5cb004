/** Number of occurrences of each key. */
export interface Counts {
  /** In ascending order. */
  readonly keys: readonly number[];
  readonly counts: readonly number[];
}

export function mergeCounts(one: Counts, other: Counts): Counts {
  const keys: number[] = [];
  const counts: number[] = [];
  let [place, otherPlace] = [0, 0];
  while (place < one.keys.length || otherPlace < other.keys.length) {
    const key = one.keys[place] ?? Infinity;
    const otherKey = other.keys[otherPlace] ?? Infinity;
    keys.push(Math.min(key, otherKey));
    counts.push((key <= otherKey ? one.counts[place]! : 0) + (otherKey <= key ? other.counts[otherPlace]! : 0));
    if (key <= otherKey) place++;
    if (otherKey <= key) otherPlace++;
  }
  return { keys, counts };
}

/**
 * Reduces to at most `keysMax` keys: subtracts the count of the next most frequent key from all counts, and drops
 * those that are not above it.
 */
export function reduceCounts(of: Counts, keysMax: number): Counts {
  if (of.keys.length <= keysMax) return of;
  const taken = of.counts.toSorted((a, b) => b - a)[keysMax]!;
  const kept = of.keys.flatMap((key, place) => (of.counts[place]! > taken ? [place] : []));
  return { keys: kept.map((place) => of.keys[place]!), counts: kept.map((place) => of.counts[place]! - taken) };
}
