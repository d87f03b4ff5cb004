import { describe, expect, it } from 'vitest';
import { EvictionFilter } from '../../../src/store/memory/eviction-filter.ts';

describe('evicted names', () => {
  it('are the only names not known to be absent if everything was in memory', () => {
    const left = new EvictionFilter(true);
    expect([left.areNone, left.isAbsent(1)]).toEqual([true, true]);
    left.add(1);
    expect([left.areNone, left.isAbsent(1), left.isAbsent(2)]).toEqual([false, false, true]);
  });

  it('are not kept if other names are unknown anyway', () => {
    const left = new EvictionFilter(false);
    const before = process.memoryUsage().arrayBuffers;
    for (let hash = 1; hash <= 3_000_000; hash++) left.add(Math.imul(hash, 0x9e3779b1) >>> 0);
    expect([left.areNone, left.isAbsent(0)]).toEqual([false, false]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1e6);
  });

  it('are dropped when there are too many: then nothing is known', () => {
    const left = new EvictionFilter(true, 3);
    for (let hash = 1; hash <= 3; hash++) left.add(hash);
    expect(left.isAbsent(9)).toBe(true);
    left.add(4);
    expect([left.areNone, left.isAbsent(9), left.isAbsent(1)]).toEqual([false, false, false]);
    left.add(5);
    expect(left.isAbsent(5)).toBe(false);
  });
});
