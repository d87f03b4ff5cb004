/** Draws whole numbers from `min` to `max`, both included; the same sequence for the same seed. */
export type Random = (min: number, max: number) => number;

/**
 * A small generator (mulberry32): good enough to spread demo traffic, and the same on every machine.
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
