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

function page(owner?: string): LivePage & { readonly moved: () => number } {
  let moves = 0;
  return { owner, hear: () => {}, move: () => void moves++, end: () => {}, moved: () => moves };
}

it('a workspace whose first page failed because of the database is polled for the next one', async () => {
  const { state, pool } = database();
  const rooms = new SseHub(pool, fail);
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
  const rooms = new SseHub(pool, fail);
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
  const rooms = new SseHub(database().pool, fail);
  const enter = (owner: string, at: number): Promise<() => void> => rooms.enter(`w${at % 3}`, page(owner));
  const [first, ...more] = await Promise.all(Array.from({ length: 20 }, (_, at) => enter('mara', at)));
  await expect(enter('mara', 0)).rejects.toMatchObject({ code: 'rate.limited', retryAfterSeconds: 30 });
  more.push(await enter('luis', 0));
  first!();
  more.push(await enter('mara', 0));
  for (const leave of more) leave();
  expect(vi.getTimerCount()).toBe(0);
});
