/** How a service reacts when the clock is set. */
import { hourMs, secondMs, type EpochMs } from '@ringfence/contract';
import { LogClock } from '@ringfence/log';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { followLog } from '../../../src/platform/database/follow-log.ts';

const startMs = Date.UTC(2026, 10, 26);
let machineMs = startMs;
let goneMs = 0;
let latestMs = 0;
let following: NodeJS.Timeout | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  [machineMs, goneMs, latestMs] = [startMs, 0, 0];
});
afterEach(() => {
  clearInterval(following);
  vi.useRealTimers();
});

async function follow(): Promise<{ readonly clock: LogClock; readonly said: readonly string[] }> {
  const said: string[] = [];
  const say = (_: object, message: string): void =>
    void said.push(/is behind|was set forward|agree again/.exec(message)?.[0] ?? message);
  const clock = new LogClock({ machineMs: () => machineMs, monotonicMs: () => goneMs, bootMs: () => goneMs });
  const log = { latestTimeMs: () => Promise.resolve(latestMs as EpochMs) };
  following = await followLog(log, clock, { warn: say, info: say });
  return { clock, said };
}

async function wait(ms: number): Promise<void> {
  machineMs += ms;
  goneMs += ms;
  await vi.advanceTimersByTimeAsync(secondMs);
}

it('starts no earlier than the last stamped record', async () => {
  latestMs = startMs + hourMs;
  const { clock, said } = await follow();
  expect(clock.read()).toBe(startMs + hourMs);
  expect(said).toEqual(['is behind']);
});

it("is behind another process's stamps for at most a second", async () => {
  const { clock } = await follow();
  latestMs = startMs + hourMs;
  await wait(secondMs);
  expect(clock.read()).toBeGreaterThanOrEqual(startMs + hourMs);
});

it('logs once that a clock was set, and once that both agree again', async () => {
  const { clock, said } = await follow();
  machineMs += hourMs;
  for (let second = 0; second < 5; second++) await wait(secondMs);
  expect(clock.read()).toBe(startMs + 5.5 * secondMs);
  expect(said).toEqual(['was set forward']);
  await wait(10 * hourMs);
  expect(said).toEqual(['was set forward', 'agree again']);
});
