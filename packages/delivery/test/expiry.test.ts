import { dayMs, hourMs, minuteMs } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { lifetimeMs } from '../src/expiry.ts';

describe('how long an action may still be sent', () => {
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

  it('is what the workspace says, for the actions it speaks of', () => {
    expect(lifetimeMs(2, { '2': 5 })).toBe(5 * minuteMs);
    expect(lifetimeMs(1, { '2': 5 })).toBe(hourMs);
  });
});
