/** Whole numbers from 0 to below `below`. */
export type Random = (below: number) => number;

/** A small generator (mulberry32): the same seed gives the same numbers on every machine. */
export function prng(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b_79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[random(choices.length)]!;
}
