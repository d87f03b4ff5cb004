import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Announcer } from '../src/postgres/announcer.ts';

/** The announcements, which end on command. */
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

it('announces the first commit immediately, and later growth together, a little later', async () => {
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

it('lets news wait that are not urgent, and sends them with urgent ones or when it closes', async () => {
  announcer.announceLater('a', 'a 1');
  announcer.announceLater('a', 'a 2');
  await vi.advanceTimersByTimeAsync(49);
  expect(left).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(left).toEqual([['a 2']]);
  land[0]!.resolve();
  await vi.advanceTimersByTimeAsync(5);
  announcer.announceLater('a', 'a 3');
  announcer.announce('b', 'b 1');
  expect(left).toEqual([['a 2'], ['a 3', 'b 1']]);
  land[1]!.resolve();
  await vi.advanceTimersByTimeAsync(60);
  expect(left).toHaveLength(2);
  announcer.announceLater('c', 'c 1');
  void announcer.close();
  expect(left.at(-1)).toEqual(['c 1']);
});

it('lets such news wait as long after an announcement under way', async () => {
  announcer.announce('a');
  announcer.announceLater('b', 'b 1');
  land[0]!.resolve();
  await vi.advanceTimersByTimeAsync(5 + 49);
  expect(left).toEqual([['a']]);
  await vi.advanceTimersByTimeAsync(1);
  expect(left).toEqual([['a'], ['b 1']]);
});

it('announces only the newest news about a subject', async () => {
  announcer.announce('a', 'a 1');
  announcer.announce('b', 'b 1');
  announcer.announce('a', 'a 2');
  announcer.announce('a', 'a 3');
  land[0]!.resolve();
  await vi.advanceTimersByTimeAsync(5);
  expect(left).toEqual([['a 1'], ['b 1', 'a 3']]);
});

it('continues after an announcement that the database rejected', async () => {
  announcer.announce('a');
  land[0]!.reject(new Error('the connection was lost'));
  await vi.advanceTimersByTimeAsync(5);
  announcer.announce('b');
  expect(left).toEqual([['a'], ['b']]);
});

it('closes when the last announcement was sent', async () => {
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
