import type { Pool } from 'pg';
import { stepAndRelease, unknownMigrations } from '../../platform/database/migrate.ts';
import { eventsLeft } from '../../records/event-ranges/carry-over.ts';
import { judgeDurability, readDurability } from '../../platform/database/durability.ts';
import { invalidIndexes, missingObjects } from '../../platform/database/stored-objects.ts';
import { migrations } from '../../migrations.ts';
import type { CliIo } from '../cli-io.ts';
import { bad, type Finding, good, unwise } from './finding.ts';

/** Clocks of processes that share a database may differ by up to this much without harm. */
const clockMsMax = 10_000;
const clockMsAdvised = 1_000;

export async function checkDurabilityOf(pool: Pool): Promise<readonly Finding[]> {
  const settings = await readDurability(pool);
  const { refusals, warnings } = judgeDurability(settings);
  if (refusals.length + warnings.length === 0) {
    return [good('durability', 'fsync, full_page_writes, synchronous_commit and checksums are on')];
  }
  return [
    ...refusals.map((refusal) => bad('durability', refusal, 'Change the setting for server, database and role.')),
    ...warnings.map((warning) => unwise('durability', warning, 'Change it when the database is next stopped.')),
  ];
}

/** PostgreSQL's names for what a `REINDEX CONCURRENTLY` that failed has left. */
const leftOver = /_cc(new|old)\d*"?$/;

function mendOfInvalid(name: string): string {
  return leftOver.test(name)
    ? `Drop it, it is left of a statement that failed: DROP INDEX CONCURRENTLY ${name}`
    : `Build it again, beside the running service: REINDEX INDEX CONCURRENTLY ${name}`;
}

const restore = 'Restore the last backup: what was in it cannot be made again.';

/** Checks that nothing that the migrations have made is gone. They are all applied; a newer one may have removed it. */
export async function checkStoredObjects(pool: Pool): Promise<readonly Finding[]> {
  if ((await unknownMigrations(pool, migrations)).length > 0) return [];
  const { tables, columns, indexes } = await missingObjects(pool);
  const invalid = await invalidIndexes(pool);
  return [
    ...tables.map((table) => bad('tables', `the table ${table} is gone`, restore)),
    ...columns.map(({ table, column }) => bad('tables', `the column ${column} of the table ${table} is gone`, restore)),
    ...indexes.map(({ name, statement }) =>
      bad('tables', `the index ${name} is gone`, `Make it again, while few events come: ${statement}`),
    ),
    ...invalid.map((name) =>
      bad('tables', `the index ${name} is not valid: queries do not use it`, mendOfInvalid(name)),
    ),
  ];
}

/**
 * The log makes tables at run time, so the role must be able to at any moment, and not only for migrations: itself, or by
 * the functions that have the owner's rights.
 */
export async function checkRole(pool: Pool): Promise<readonly Finding[]> {
  const { rows } = await pool.query<{ role: string; schema: string; creates: boolean }>(
    `select current_user::text as role, current_schema()::text as schema,
            has_schema_privilege(current_schema(), 'create')
              or has_function_privilege('log_make_range(integer, bigint)', 'execute') as creates`,
  );
  const { role, schema, creates } = rows[0]!;
  if (creates) return [];
  const detail = `the role ${role} may not create tables in the schema ${schema}: events are refused as the log grows`;
  return [bad('role', detail, `As the owner of the database: ringfence migrate --runtime-role ${role}`)];
}

/** Compares this machine's clock with the database's, corrected by half the round trip. */
export async function checkClock(pool: Pool, io: Pick<CliIo, 'now'>): Promise<Finding> {
  const beforeMs = io.now();
  const answer = await pool.query<{ ms: number }>(`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`);
  const differenceMs = Math.round(answer.rows[0]!.ms - (beforeMs + io.now()) / 2);
  const detail = `${Math.abs(differenceMs)} ms ${differenceMs < 0 ? 'ahead of' : 'behind'} the database’s`;
  const mend = 'Synchronize both clocks by NTP: sessions, deadlines and signatures depend on them.';
  if (Math.abs(differenceMs) > clockMsMax) return bad('clock', detail, mend);
  return Math.abs(differenceMs) > clockMsAdvised ? unwise('clock', detail, mend) : good('clock', detail);
}

/** Warns if the tables are of a newer, compatible release; with an incompatible one the installation does not open. */
export async function checkTables(pool: Pool): Promise<Finding> {
  const newest = (await unknownMigrations(pool, migrations)).at(-1);
  if (newest === undefined) return good('tables', 'of this release');
  return unwise(
    'tables',
    `of a newer release (${stepAndRelease(newest)}) that this release can work with`,
    'Start the newer release, unless you rolled back the upgrade on purpose.',
  );
}

/** Shows whether the running service is still moving the events of an earlier release. */
export async function checkStoredEvents(pool: Pool): Promise<Finding> {
  const left = await eventsLeft(pool);
  if (left === undefined) return good('events', 'in the tables of this release');
  return unwise(
    'events',
    `about ${left} are still in the tables of an earlier release`,
    'A running service moves them in the background; until then searches may be slow, and old events are not removed. If the number does not fall, its log shows why.',
  );
}

/** Locks that a query takes for a range of events that it may have to read: the table and its indexes. */
const locksOfRange = 16;
/** Such queries at a time. */
const queriesAtOnce = 8;

/** Whether the database has room for the locks of queries that may find their events in every range. */
export async function checkLocks(pool: Pool): Promise<Finding> {
  const { rows } = await pool.query<{ ranges: number; capacity: number; connections: number }>(
    `select coalesce((select max((select count(*) from event_ranges_of(p.number))) from log_partition p), 0)::float8 as ranges,
            current_setting('max_locks_per_transaction')::float8 * current_setting('max_connections')::float8 as capacity,
            current_setting('max_connections')::float8 as connections`,
  );
  const { ranges, capacity, connections } = rows[0]!;
  const needed = ranges * locksOfRange * queriesAtOnce;
  if (needed <= capacity) return good('locks', `room for ${capacity}, for ${ranges} ranges of events`);
  return unwise(
    'locks',
    `the database has room for ${capacity}, and searches in ${ranges} ranges of events may need ${needed}`,
    `Set max_locks_per_transaction of the database to ${Math.ceil(needed / connections)} and restart it.`,
  );
}
