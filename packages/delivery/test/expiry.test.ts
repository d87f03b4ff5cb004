import { dayMs, hourMs, minuteMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { lifetimeMs } from '../src/expiry.ts';

describe('the lifetime of an action', () => {
  it.each([
    [1, hourMs],
    [2, 15 * minuteMs],
    [3, dayMs],
    [4, dayMs],
    [5, dayMs],
    [6, hourMs],
    [250, hourMs],
  ])('action %i: %i ms', (action, expected) => {
    expect(lifetimeMs(action)).toBe(expected);
  });

  it("uses the workspace's own limits where they are set", () => {
    expect(lifetimeMs(2, { '2': 5 })).toBe(5 * minuteMs);
    expect(lifetimeMs(1, { '2': 5 })).toBe(hourMs);
  });
});
