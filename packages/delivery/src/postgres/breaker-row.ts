import type { ClientBase, Pool } from 'pg';
import { afterAttempt, type Breaker, closedBreaker, type Health } from '../breaker.ts';
import type { BreakerChange } from '../outbox.ts';

/** A table of breakers, one for each endpoint. Its other columns are those of `endpoint`. */
export interface BreakerTable {
  readonly table: string;
  /** The column that names the endpoint. */
  readonly key: string;
}

const webhooks: BreakerTable = { table: 'endpoint', key: 'workspace_id' };

interface BreakerRow {
  readonly key: string;
  readonly state: Breaker['state'];
  readonly opened_at: Date | null;
  readonly probe_at: Date | null;
  readonly failing_since: Date | null;
  readonly failures: string;
  readonly slot_at: readonly string[];
  readonly slot_answered: readonly number[];
  readonly slot_failed: readonly number[];
}

const columns = `state, opened_at, probe_at, failing_since, failures, slot_at, slot_answered, slot_failed`;

function breakerOf(row: BreakerRow): Breaker {
  return {
    state: row.state,
    openedAtMs: row.opened_at?.getTime(),
    probeAtMs: row.probe_at?.getTime(),
    failingSinceMs: row.failing_since?.getTime(),
    failures: Number(row.failures),
    slots: row.slot_at.map((atMs, index) => ({
      atMs: Number(atMs),
      answered: row.slot_answered[index] ?? 0,
      failed: row.slot_failed[index] ?? 0,
    })),
  };
}

export async function readBreaker(client: ClientBase | Pool, workspaceId: string): Promise<Breaker> {
  return (await readBreakers(client, webhooks, [workspaceId])).get(workspaceId) ?? closedBreaker;
}

/** The breakers of these endpoints; one that had no attempt yet is missing. */
export async function readBreakers(
  client: ClientBase | Pool,
  { table, key }: BreakerTable,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Breaker>> {
  const { rows } = await client.query<BreakerRow>(
    `select ${key} as key, ${columns} from ${table} where ${key} = any ($1::text[])`,
    [keys],
  );
  return new Map(rows.map((row) => [row.key, breakerOf(row)]));
}

/** Folds attempts into the breakers of their webhooks, in the caller's transaction. */
export async function foldHealth(
  client: ClientBase,
  health: ReadonlyMap<string, readonly Health[]>,
): Promise<readonly BreakerChange[]> {
  const changes = await foldHealthInto(client, webhooks, health);
  return changes.map(({ key: workspaceId, ...change }) => ({ workspaceId, ...change }));
}

/**
 * Folds attempts into breakers, in the caller's transaction. Rows are locked in the order of their names, so that two
 * processes cannot deadlock.
 *
 * @returns those that opened, closed or were disabled
 */
export async function foldHealthInto(
  client: ClientBase,
  { table, key }: BreakerTable,
  health: ReadonlyMap<string, readonly Health[]>,
): Promise<readonly (Omit<BreakerChange, 'workspaceId'> & { readonly key: string })[]> {
  const keys = [...health.keys()].sort();
  if (keys.length === 0) return [];
  await client.query({
    name: `${table}_make`,
    text: `insert into ${table} (${key}) select unnest($1::text[]) on conflict do nothing`,
    values: [keys],
  });
  const { rows } = await client.query<BreakerRow>({
    name: `${table}_lock`,
    text: `select ${key} as key, ${columns} from ${table} where ${key} = any ($1::text[]) order by ${key} for update`,
    values: [keys],
  });
  const changes = rows.map((row) => {
    const before = breakerOf(row);
    return { key: row.key, before, after: (health.get(row.key) ?? []).reduce(afterAttempt, before) };
  });
  for (const change of changes) {
    if (change.before !== change.after) await writeBreaker(client, { table, key }, change);
  }
  return changes.filter(({ before, after }) => before.state !== after.state);
}

async function writeBreaker(
  client: ClientBase,
  { table, key }: BreakerTable,
  { key: of, after: breaker }: { readonly key: string; readonly after: Breaker },
): Promise<void> {
  await client.query({
    name: `${table}_write`,
    text: `update ${table}
              set state = $2, opened_at = to_timestamp($3::float8 / 1000.0), probe_at = to_timestamp($4::float8 / 1000.0),
                  failing_since = to_timestamp($5::float8 / 1000.0), failures = $6,
                  slot_at = $7, slot_answered = $8, slot_failed = $9
            where ${key} = $1`,
    values: [
      of,
      breaker.state,
      breaker.openedAtMs ?? null,
      breaker.probeAtMs ?? null,
      breaker.failingSinceMs ?? null,
      breaker.failures,
      breaker.slots.map((slot) => slot.atMs),
      breaker.slots.map((slot) => slot.answered),
      breaker.slots.map((slot) => slot.failed),
    ],
  });
}

/** Closes breakers in one statement and resets what was recorded about the endpoints. */
export const closedColumns = `state = 'closed', opened_at = null, probe_at = null, failing_since = null, failures = 0,
  slot_at = '{}', slot_answered = '{}', slot_failed = '{}'`;
