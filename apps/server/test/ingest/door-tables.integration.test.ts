import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RefusedRequest } from '../../src/ingest/refused-request.ts';
import { RefusedRequests } from '../../src/ingest/refused-requests.ts';
import { ingestTables } from '../../src/ingest/ingest-tables.ts';
import { freshDatabase } from '../support/postgres.ts';

const hour = 3_600_000;
const startMs = Date.UTC(2026, 10, 21, 16, 30);

let pool: Pool;
beforeAll(async () => {
  pool = new Pool((await freshDatabase()).config);
  await pool.query(ingestTables);
});
afterAll(() => pool.end());

function refused(workspaceId: string | undefined, changes: Partial<RefusedRequest> = {}): RefusedRequest {
  return {
    atMs: startMs,
    workspaceId,
    keyId: workspaceId === undefined ? undefined : 'key-1',
    requestId: 'req-1',
    method: 'POST',
    path: '/api/v5/analytics/app/login',
    status: 422,
    code: 'event.invalid',
    bodyBytes: 100,
    errors: [{ pointer: '/user', detail: 'The string is empty.' }],
    ...changes,
  };
}

function notExpected(error: unknown): never {
  throw error;
}

describe('RefusedRequests', () => {
  it('lists the refused requests of one workspace, newest first, page by page', async () => {
    const store = new RefusedRequests({ pool, now: () => startMs, onError: notExpected });
    for (let index = 0; index < 5; index++) store.note(refused('list', { requestId: `r${index}` }));
    store.note(refused('someone-else'));
    store.note(refused(undefined, { code: 'key.invalid', status: 401, bodyBytes: undefined, errors: [] }));
    await store.write();
    const first = await store.list('list', { limit: 3 });
    expect(first.map((row) => row.requestId)).toEqual(['r4', 'r3', 'r2']);
    expect(first[0]).toEqual({
      id: expect.any(Number),
      at: '2026-11-21T16:30:00.000Z',
      keyId: 'key-1',
      requestId: 'r4',
      method: 'POST',
      path: '/api/v5/analytics/app/login',
      status: 422,
      code: 'event.invalid',
      bodyBytes: 100,
      errors: [{ pointer: '/user', detail: 'The string is empty.' }],
    });
    const second = await store.list('list', { limit: 3, before: first[2]!.id });
    expect(second.map((row) => row.requestId)).toEqual(['r1', 'r0']);
  });

  it('stores a stated length beyond 32 bits as the maximum, without losing other rows', async () => {
    const store = new RefusedRequests({ pool, now: () => startMs, onError: notExpected });
    for (const bodyBytes of [9_999_999_999, undefined, 7]) store.note(refused('lengths', { bodyBytes }));
    await store.write();
    const kept = await store.list('lengths', { limit: 3 });
    expect(kept.map(({ bodyBytes }) => bodyBytes)).toEqual([7, undefined, 2 ** 31 - 1]);
  });

  it('counts requests by code and path, over several writes', async () => {
    const store = new RefusedRequests({ pool, now: () => startMs, onError: notExpected });
    for (const ageMs of [0, 0, 2 * hour, 3 * 24 * hour, 8 * 24 * hour]) {
      store.note(refused('count', { atMs: startMs - ageMs }));
      await store.write();
    }
    store.note(refused('count', { code: 'json.malformed' }));
    await store.write();
    expect(await store.counts('count')).toEqual([
      { code: 'event.invalid', path: '/api/v5/analytics/app/login', lastHour: 2, lastDay: 3, last7Days: 4 },
      { code: 'json.malformed', path: '/api/v5/analytics/app/login', lastHour: 1, lastDay: 1, last7Days: 1 },
    ]);
  });

  it('deletes requests and counts after 7 days', async () => {
    let nowMs = startMs;
    const store = new RefusedRequests({ pool, now: () => nowMs, onError: notExpected });
    store.note(refused('purge'));
    await store.write();
    nowMs += 7 * 24 * hour - hour;
    await store.purge();
    expect(await store.list('purge', { limit: 10 })).toHaveLength(1);
    nowMs += hour + 1;
    await store.purge();
    expect(await store.list('purge', { limit: 10 })).toEqual([]);
    expect(await store.counts('purge')).toEqual([]);
  });

  it('never rejects while the database is unreachable, and writes the counts afterwards', async () => {
    const errors: unknown[] = [];
    const away = new Error('away');
    let isAway = true;
    const flaky = {
      query: (...args: Parameters<Pool['query']>) => (isAway ? Promise.reject(away) : pool.query(...args)),
    };
    const store = new RefusedRequests({
      pool: flaky as Pool,
      now: () => startMs,
      onError: (error) => void errors.push(error),
    });
    store.note(refused('away'));
    await store.write();
    expect(errors).toEqual([away]);
    isAway = false;
    store.note(refused('away'));
    await store.close();
    expect(await store.counts('away')).toMatchObject([{ last7Days: 2 }]);
    expect(await store.list('away', { limit: 10 })).toHaveLength(1);
  });
});
