import { expect, it } from 'vitest';
import { StallDetector } from '../../../src/platform/observability/stall-detector.ts';

it('reports how long the process did not run, and ignores checks that are slightly late', () => {
  let nowMs = 50;
  const stalls: number[] = [];
  const watch = new StallDetector({ monotonicMs: () => nowMs, onStall: (stalledMs) => stalls.push(stalledMs) });
  for (const laterMs of [1_000, 1_400, 2_999, 7_200, 1_000]) {
    nowMs += laterMs;
    watch.look();
  }
  expect(stalls).toEqual([6_000]);
});
