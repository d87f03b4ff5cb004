import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrations } from '../../src/migrations.ts';
import { makePool } from '../../src/platform/database/database.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { queriesOver } from '../../src/platform/database/tables.ts';
import { firstOffset } from '../../src/records/first-offset.ts';
import { makeEventRange } from '../support/event-range.ts';
import { freshDatabase } from '../support/postgres.ts';

const database = await freshDatabase();
const pool: Pool = makePool(database.config, 2);
const queries = queriesOver(pool);
const workspaceId = 'acme';
const startMs = Date.UTC(2026, 0, 1);
/** Offsets with gaps, as other records of the log leave them, and several events in one millisecond. */
const events = Array.from({ length: 500 }, (_, place) => ({
  offset: 1_000 + place * 3 + (place % 7 === 0 ? 1 : 0) + (place > 250 ? 40_000 : 0),
  atMs: startMs + Math.floor(place / 4) * 10,
}));

async function insert(of: string, rows: typeof events): Promise<void> {
  await pool.query(
    `insert into event (workspace_id, "offset", epoch, kind, logged_at, status)
     select $1, r.o, 1, 'operation', to_timestamp(r.ms / 1000.0), 'decided' from unnest($2::bigint[], $3::float8[]) r(o, ms)`,
    [of, rows.map(({ offset }) => offset), rows.map(({ atMs }) => atMs)],
  );
}

beforeAll(async () => {
  await migrate(database.config, migrations);
  await makeEventRange(pool, workspaceId, 1);
  await makeEventRange(pool, 'other', 2);
  await insert(workspaceId, events);
  await insert('other', [{ offset: 5, atMs: startMs + 100 }]);
});
afterAll(() => pool.end());

it('finds the first event at or after an instant, for every instant', async () => {
  for (let atMs = startMs - 10; atMs <= startMs + 1_260; atMs += 5) {
    const expected = events.find((event) => event.atMs >= atMs)?.offset ?? Number.MAX_SAFE_INTEGER;
    expect(await firstOffset(queries, workspaceId, new Date(atMs)), String(atMs - startMs)).toBe(expected);
  }
});

it('finds the only event of a workspace, and nothing in an empty one', async () => {
  expect(await firstOffset(queries, 'other', new Date(startMs))).toBe(5);
  expect(await firstOffset(queries, 'other', new Date(startMs + 100))).toBe(5);
  expect(await firstOffset(queries, 'other', new Date(startMs + 101))).toBe(Number.MAX_SAFE_INTEGER);
  expect(await firstOffset(queries, 'empty', new Date(startMs))).toBe(Number.MAX_SAFE_INTEGER);
});
