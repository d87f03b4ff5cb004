import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Checkpoints } from '../../src/decide/checkpoints.ts';
import { emptyDigest } from '../../src/decide/digest.ts';
import type { HostDeps } from '../../src/decide/host-deps.ts';
import type { CheckpointTarget } from '../../src/decide/partition-records.ts';
import type { Stepper } from '../../src/decide/stepper.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Checkpoints whose entities are not collected until `fail` ends the wait. */
function slowCheckpoints(): { checkpoints: Checkpoints; begun: () => number; fail: () => void } {
  const connections: PromiseWithResolvers<never>[] = [];
  const connect = (): Promise<never> => {
    const connection = Promise.withResolvers<never>();
    connections.push(connection);
    return connection.promise;
  };
  const stepper = { startOffset: 0, capture: () => ({}) } as unknown as Stepper;
  const states = { collect: connect };
  const target = { chain: { take: () => [] }, states } as unknown as CheckpointTarget;
  return {
    checkpoints: new Checkpoints({} as HostDeps, target, stepper),
    begun: () => connections.length,
    fail: () => connections.at(-1)!.reject(new Error('no connection')),
  };
}

const at = (nextOffset: number) => ({ nextOffset, decided: nextOffset, digest: emptyDigest });

it("begin every 8 s, even when the machine's clock is adjusted", () => {
  const { checkpoints, begun } = slowCheckpoints();
  vi.setSystemTime(Date.now() - 3 * 3_600_000);
  vi.advanceTimersByTime(7_000);
  checkpoints.offer(at(10));
  expect([begun(), checkpoints.dueInMs()]).toEqual([0, 1_000]);
  vi.advanceTimersByTime(1_000);
  checkpoints.offer(at(10));
  expect(begun()).toBe(1);
});

it('schedule no wake-up while one is being written, however long that takes', async () => {
  const { checkpoints, begun, fail } = slowCheckpoints();
  vi.advanceTimersByTime(8_000);
  checkpoints.offer(at(10));
  vi.advanceTimersByTime(60_000);
  checkpoints.offer(at(20));
  expect([begun(), checkpoints.dueInMs()]).toEqual([1, Infinity]);
  fail();
  await checkpoints.settled();
  expect(checkpoints.dueInMs()).toBe(0);
  expect(() => checkpoints.offer(at(20))).toThrow('no connection');
});
