import { expect, it } from 'vitest';
import { Brake } from '../src/brake.ts';

const options = { failures: 3, delayMsMin: 100, delayMsMax: 400 };
/** The jitter that shortens nothing, except for rounding. */
const whole = 0.999_999;

it('is engaged by consecutive failures, and lets one probe through when it is due', () => {
  const brake = new Brake(options);
  brake.failed(0, whole, undefined);
  brake.failed(0, whole, undefined);
  expect([brake.isSet, brake.parallel(0, 8)]).toEqual([false, 8]);
  brake.failed(0, whole, undefined);
  expect([brake.isSet, brake.parallel(99, 8), brake.parallel(100, 8)]).toEqual([true, 0, 1]);
});

it('is not engaged by failures with a success between them', () => {
  const brake = new Brake(options);
  for (let i = 0; i < 10; i++) {
    brake.failed(0, whole, undefined);
    brake.failed(0, whole, undefined);
    brake.succeeded();
  }
  expect(brake.isSet).toBe(false);
});

it('waits longer after each failed probe, up to its bound, and starts over after a success', () => {
  const brake = new Brake(options);
  const waits: number[] = [];
  let nowMs = 0;
  for (let i = 0; i < 7; i++) {
    brake.failed(nowMs, whole, undefined);
    if (brake.untilMs === undefined) continue;
    waits.push(brake.untilMs - nowMs);
    nowMs = brake.untilMs;
  }
  expect(waits).toEqual([100, 200, 400, 400, 400]);
  brake.succeeded();
  expect(brake.parallel(nowMs, 8)).toBe(8);
});

it('does not count attempts that were under way before it was engaged', () => {
  const brake = new Brake(options);
  for (let i = 0; i < 40; i++) brake.failed(10, whole, undefined);
  expect(brake.untilMs).toBe(110);
});

it('is engaged immediately by Retry-After, and never shortens a wait', () => {
  const brake = new Brake(options);
  brake.failed(0, whole, 5_000);
  brake.failed(0, whole, 1_000);
  expect(brake.untilMs).toBe(5_000);
});
