/** Sums for a standard deviation, as bigints: of ticks, or in the unit of a wide column. */
export interface Moments {
  readonly count: number;
  readonly sum: bigint;
  readonly squares: bigint;
}

export const nothing: Moments = { count: 0, sum: 0n, squares: 0n };

/** The sum of the squared distances from the mean, times the count; never below 0. */
export function spreadOf({ count, sum, squares }: Moments): bigint {
  const spread = BigInt(count) * squares - sum * sum;
  return spread < 0n ? 0n : spread;
}

export function together(one: Moments, other: Moments): Moments {
  return {
    count: one.count + other.count,
    sum: one.sum + other.sum,
    squares: one.squares + other.squares,
  };
}

export function less(whole: Moments, part: Moments): Moments {
  return { count: whole.count - part.count, sum: whole.sum - part.sum, squares: whole.squares - part.squares };
}
