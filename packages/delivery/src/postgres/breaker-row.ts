import type { ClientBase, Pool } from 'pg';
import { afterAttempt, type Breaker, closedBreaker, type Health } from '../breaker.ts';
import type { BreakerChange } from '../outbox.ts';

interface BreakerRow {
  readonly workspace_id: string;
  readonly state: Breaker['state'];
  readonly opened_at: Date | null;
  readonly probe_at: Date | null;
  readonly failing_since: Date | null;
  readonly failures: string;
  readonly slot_at: readonly string[];
  readonly slot_answered: readonly number[];
  readonly slot_failed: readonly number[];
}

const columns = `workspace_id, state, opened_at, probe_at, failing_since, failures, slot_at, slot_answered, slot_failed`;

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
  const { rows } = await client.query<BreakerRow>(`select ${columns} from endpoint where workspace_id = $1`, [
    workspaceId,
  ]);
  return rows[0] === undefined ? closedBreaker : breakerOf(rows[0]);
}

/**
 * Folds attempts into the breakers of their endpoints, in the caller's transaction. Rows are locked in the order of
 * their names, so that two processes cannot deadlock.
 */
export async function foldHealth(
  client: ClientBase,
  health: ReadonlyMap<string, readonly Health[]>,
): Promise<readonly BreakerChange[]> {
  const workspaceIds = [...health.keys()].sort();
  if (workspaceIds.length === 0) return [];
  await client.query({
    name: 'endpoint_make',
    text: `insert into endpoint (workspace_id) select unnest($1::text[]) on conflict do nothing`,
    values: [workspaceIds],
  });
  const { rows } = await client.query<BreakerRow>({
    name: 'endpoint_lock',
    text: `select ${columns} from endpoint where workspace_id = any ($1::text[]) order by workspace_id for update`,
    values: [workspaceIds],
  });
  const changes = rows.map((row): BreakerChange => {
    const before = breakerOf(row);
    const after = (health.get(row.workspace_id) ?? []).reduce(afterAttempt, before);
    return { workspaceId: row.workspace_id, before, after };
  });
  for (const { workspaceId, before, after } of changes) {
    if (before !== after) await writeBreaker(client, workspaceId, after);
  }
  return changes.filter(({ before, after }) => before.state !== after.state);
}

async function writeBreaker(client: ClientBase, workspaceId: string, breaker: Breaker): Promise<void> {
  await client.query({
    name: 'endpoint_write',
    text: `update endpoint
              set state = $2, opened_at = to_timestamp($3::float8 / 1000.0), probe_at = to_timestamp($4::float8 / 1000.0),
                  failing_since = to_timestamp($5::float8 / 1000.0), failures = $6,
                  slot_at = $7, slot_answered = $8, slot_failed = $9
            where workspace_id = $1`,
    values: [
      workspaceId,
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
