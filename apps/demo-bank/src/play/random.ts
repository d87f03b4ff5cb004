/** Returns integers from `min` to `max`, both inclusive; the same sequence for the same seed. */
export type Random = (min: number, max: number) => number;

/**
 * A small random generator (mulberry32): sufficient for demo traffic, and the same on every machine.
 * Source: public domain, Tommy Ettinger 2017.
 */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return (min, max) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return min + (((mixed ^ (mixed >>> 14)) >>> 0) % (max - min + 1));
  };
}
