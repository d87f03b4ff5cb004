import type { Hearing } from '@ringfence/log';
import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type LivePage, SseHub } from '../../src/console/live/sse-hub.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A database in which nothing happens except that events are decided. */
function database() {
  const state = { isAway: false, fedTo: 0, asked: 0 };
  const query = async (): Promise<object> => {
    state.asked++;
    if (state.isAway) throw new Error('the database is away');
    return { rows: [{ seq: 0, next_offset: state.fedTo }] };
  };
  return { state, pool: { query } as unknown as Pool };
}

const fail = (error: unknown): never => {
  throw error;
};

function hub(pool: Pool): SseHub {
  return new SseHub({ pool, notifications: { hear: () => () => {} }, onError: fail });
}

function page(owner?: string): LivePage & { readonly moved: () => number } {
  let moves = 0;
  const signal = (event: string): void => void (event === 'moved' && moves++);
  return { owner, hear: () => {}, signal, end: () => {}, moved: () => moves };
}

it('a workspace whose first page failed because of the database is polled for the next one', async () => {
  const { state, pool } = database();
  const rooms = hub(pool);
  state.isAway = true;
  await expect(rooms.enter('one', page())).rejects.toThrow('away');
  state.isAway = false;
  const next = page();
  const leave = await rooms.enter('one', next);
  state.fedTo = 7;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(next.moved()).toBe(1);
  leave();
  expect(vi.getTimerCount()).toBe(0);
});

it('pages that open together share one start, and fail together', async () => {
  const { state, pool } = database();
  const rooms = hub(pool);
  state.isAway = true;
  const refused = await Promise.allSettled([rooms.enter('one', page()), rooms.enter('one', page())]);
  expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  state.isAway = false;
  state.asked = 0;
  const leaves = await Promise.all([rooms.enter('one', page()), rooms.enter('one', page())]);
  expect(state.asked).toBe(2); // the last entry, and how far the console is fed
  for (const leave of leaves) leave();
  expect(vi.getTimerCount()).toBe(0);
});

it('one account cannot use the places of others', async () => {
  const rooms = hub(database().pool);
  const enter = (owner: string, at: number): Promise<() => void> => rooms.enter(`w${at % 3}`, page(owner));
  const [first, ...more] = await Promise.all(Array.from({ length: 20 }, (_, at) => enter('mara', at)));
  await expect(enter('mara', 0)).rejects.toMatchObject({ code: 'rate.limited', retryAfterSeconds: 30 });
  more.push(await enter('luis', 0));
  first!();
  more.push(await enter('mara', 0));
  for (const leave of more) leave();
  expect(vi.getTimerCount()).toBe(0);
});

it('pages hear of changed holds once a second, and after notifications may have been lost', async () => {
  let told: Hearing | undefined;
  const notifications = {
    hear: (_channel: string, hearing: Hearing) => {
      told = hearing;
      return () => {};
    },
  };
  const rooms = new SseHub({ pool: database().pool, notifications, onError: fail });
  const heard: string[] = [];
  const listener = (name: string): LivePage => ({
    ...page(),
    signal: (event) => void heard.push(`${name} ${event}`),
  });
  const leaves = [await rooms.enter('one', listener('first')), await rooms.enter('two', listener('second'))];
  for (let at = 0; at < 5; at++) told!.told('one');
  await vi.advanceTimersByTimeAsync(3_000);
  expect(heard).toEqual(['first hold']);
  await told!.listening!(undefined as never);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(heard).toEqual(['first hold', 'first hold', 'second hold']);
  for (const leave of leaves) leave();
});
