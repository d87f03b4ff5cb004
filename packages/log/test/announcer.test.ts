import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Announcer } from '../src/postgres/announcer.ts';

/** What was announced, and how each announcement ends when the test says so. */
const left: string[][] = [];
let land: PromiseWithResolvers<void>[];
let announcer: Announcer;

beforeEach(() => {
  vi.useFakeTimers();
  left.length = 0;
  land = [];
  const query = ({ values: [, payloads] }: { values: [string, string[]] }): Promise<void> => {
    left.push(payloads);
    land.push(Promise.withResolvers());
    return land.at(-1)!.promise;
  };
  announcer = new Announcer({ query } as unknown as Pool, 'channel');
});
afterEach(() => vi.useRealTimers());

it('announces the first commit at once, and what grows meanwhile together, a little later', async () => {
  announcer.announce('a');
  announcer.announce('b');
  announcer.announce('b');
  announcer.announce('c');
  expect(left).toEqual([['a']]);
  await vi.advanceTimersByTimeAsync(100);
  expect(left).toEqual([['a']]);
  land[0]!.resolve();
  await vi.advanceTimersByTimeAsync(4);
  expect(left).toEqual([['a']]);
  await vi.advanceTimersByTimeAsync(1);
  expect(left).toEqual([['a'], ['b', 'c']]);
});

it('tells only the newest of one thing', async () => {
  announcer.announce('a', 'a 1');
  announcer.announce('b', 'b 1');
  announcer.announce('a', 'a 2');
  announcer.announce('a', 'a 3');
  land[0]!.resolve();
  await vi.advanceTimersByTimeAsync(5);
  expect(left).toEqual([['a 1'], ['b 1', 'a 3']]);
});

it('goes on after one that the database did not take', async () => {
  announcer.announce('a');
  land[0]!.reject(new Error('the connection was lost'));
  await vi.advanceTimersByTimeAsync(5);
  announcer.announce('b');
  expect(left).toEqual([['a'], ['b']]);
});

it('closes when the last one has left', async () => {
  announcer.announce('a');
  announcer.announce('b');
  const closed = vi.fn<() => void>();
  void announcer.close().then(closed);
  land[0]!.resolve();
  await vi.advanceTimersByTimeAsync(5);
  expect(left).toEqual([['a'], ['b']]);
  expect(closed).not.toHaveBeenCalled();
  land[1]!.resolve();
  await vi.advanceTimersByTimeAsync(5);
  expect(closed).toHaveBeenCalled();
});
