/** Where a share probably is. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The normal distribution has 95 % within this many standard deviations. */
const z95 = 1.959963984540054;

/** Wilson's interval of 95 % for a share that was seen among `of` rows; everything is possible when there were none. */
export function wilson(share: number, of: number): Interval {
  if (of === 0) return { low: 0, high: 1 };
  const square = z95 * z95;
  const centre = share + square / (2 * of);
  const spread = z95 * Math.sqrt((share * (1 - share)) / of + square / (4 * of * of));
  const whole = 1 + square / of;
  return { low: Math.max(0, (centre - spread) / whole), high: Math.min(1, (centre + spread) / whole) };
}
