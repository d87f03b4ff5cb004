import { describe, expect, it } from 'vitest';
import { isSpike, type RuleCounts } from '../../src/notify/rule-spike.ts';

const told = { windowMinutes: 5, factor: 3, minimum: 10, isTold: false };
const minutesOfHour = 60;
const hoursOfDay = 24;

/** mulberry32 */
function prng(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A number of firings in a minute with this mean. */
function poisson(random: () => number, mean: number): number {
  const limit = Math.exp(-mean);
  let [count, product] = [0, random()];
  while (product > limit) {
    count += 1;
    product *= random();
  }
  return count;
}

/** Eight days of a rule, minute by minute: a bank sleeps at night and is five times as busy at noon. */
function history(seed: number, perHour: number): readonly number[] {
  const random = prng(seed);
  return Array.from({ length: 8 * hoursOfDay * minutesOfHour }, (_, minute) => {
    const hour = (minute / minutesOfHour) % hoursOfDay;
    const rhythm = 1 + 0.8 * Math.sin(((hour - 6) / hoursOfDay) * 2 * Math.PI);
    return poisson(random, (perHour / minutesOfHour) * rhythm);
  });
}

const sum = (counts: readonly number[], from: number, to: number): number =>
  counts.slice(Math.max(0, from), to).reduce((total, count) => total + count, 0);

/** What the console counts for a rule at a minute of the eighth day, with that minute just begun. */
function countsAt(counts: readonly number[], minute: number, windowMinutes: number): RuleCounts {
  const hour = Math.floor(minute / minutesOfHour);
  const ofHour = (step: number): number =>
    [1, 2, 3, 4, 5, 6, 7].reduce((total, day) => {
      const at = (hour + step - day * hoursOfDay) * minutesOfHour;
      return total + sum(counts, at, at + minutesOfHour);
    }, 0);
  return {
    count: sum(counts, minute - windowMinutes + 1, minute + 1),
    hours: [ofHour(-1), ofHour(0), ofHour(1)],
    days: 7,
  };
}

const lastDay = Array.from({ length: hoursOfDay * minutesOfHour }, (_, at) => 7 * hoursOfDay * minutesOfHour + at);

describe('a spike of a rule', () => {
  it.each([0, 0.5, 6, 60, 600, 3_000])('is never found in a steady week of %d firings an hour', (perHour) => {
    const found: string[] = [];
    for (const seed of [1, 2, 3]) {
      const counts = history(seed, perHour);
      for (const minute of lastDay) {
        for (const windowMinutes of [5, 60]) {
          if (isSpike(countsAt(counts, minute, windowMinutes), { ...told, windowMinutes })) {
            found.push(`seed ${seed}, minute ${minute}, ${windowMinutes} minutes`);
          }
        }
      }
    }
    expect(found).toEqual([]);
  });

  it.each([0, 6, 60, 600])('is found in the minute in which it begins, above %d firings an hour', (perHour) => {
    const counts = [...history(4, perHour)];
    const minute = lastDay[13 * minutesOfHour + 17]!;
    const usual = Math.ceil((perHour / minutesOfHour) * 1.8 * 5);
    counts[minute] = counts[minute]! + Math.max(20, 4 * usual);
    expect(isSpike(countsAt(counts, minute - 1, 5), told)).toBe(false);
    expect(isSpike(countsAt(counts, minute, 5), told)).toBe(true);
  });

  it('is over at half of what began it, not before', () => {
    const of = (count: number): RuleCounts => ({ count, hours: [84, 84, 84], days: 7 });
    // 85 in seven hours: about one in five minutes; the minimum of 10 decides.
    expect([of(9), of(20)].map((counts) => isSpike(counts, told))).toEqual([false, true]);
    const after = { ...told, isTold: true };
    expect([of(5), of(4)].map((counts) => isSpike(counts, after))).toEqual([true, false]);
  });

  it('needs the factor, however significant it is', () => {
    const busy = (count: number): RuleCounts => ({ count, hours: [84_000, 84_000, 84_000], days: 7 });
    expect([busy(2_900), busy(3_010)].map((counts) => isSpike(counts, told))).toEqual([false, true]);
  });
});
