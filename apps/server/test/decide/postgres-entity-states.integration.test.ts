import { randomBytes } from 'node:crypto';
import { entityStatesConformance, type OpenedStates } from '@ringfence/engine/conformance';
import type { StoredEntity } from '@ringfence/engine/memory';
import type { Pool } from 'pg';
import { afterAll, beforeAll } from 'vitest';
import { makePool } from '../../src/platform/database/database.ts';
import { type EntityTable, PostgresEntityStates } from '../../src/decide/postgres-entity-states.ts';
import { hostSchema } from '../../src/decide/decide-tables.ts';
import { retentionSchema } from '../../src/decide/retention/retention-tables.ts';
import { indexHmac } from '../../src/platform/secrets/blind-index.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import { freshDatabase } from '../support/postgres.ts';

/** The secrets of all test workspaces, so that their rows have the same names. */
const secrets = { data: randomBytes(32), index: randomBytes(32) };

let pool: Pool;
beforeAll(async () => {
  pool = makePool((await freshDatabase()).config, 2);
  await pool.query(hostSchema + retentionSchema);
});
afterAll(() => pool.end());

interface Row {
  readonly key: Buffer;
  readonly subject: string | null;
  readonly state: Buffer;
  readonly expires_at_ms: number | null;
}

let workspaces = 0;

/** Both tables of a workspace that has only the keys that name and seal its entities. */
function openBoth(table: EntityTable, otherTable: EntityTable): OpenedStates<Pool, PostgresEntityStates> {
  workspaces += 1;
  const workspace = { id: `w${workspaces}`, secrets } as unknown as Workspace;
  const [states, other] = [new PostgresEntityStates(workspace, table), new PostgresEntityStates(workspace, otherTable)];
  const rows = async (
    of: PostgresEntityStates,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, StoredEntity>> => {
    const names = new Map(keys.map((key) => [storedName(key), key]));
    const found = await pool.query<Row>(
      `select key, subject, state, expires_at_ms from ${of === states ? table : otherTable} where workspace_id = $1`,
      [workspace.id],
    );
    return new Map(
      found.rows.map(({ key, subject, state, expires_at_ms: expiresAtMs }) => {
        const name = names.get(key.toString('hex'));
        if (name === undefined) throw new Error('a row that the test did not write');
        const stored = { subject: subject ?? undefined, expiresAtMs: expiresAtMs ?? undefined };
        return [name, { ...stored, bytes: of.openState(state) }];
      }),
    );
  };
  return { states, other, on: pool, rows };
}

function storedName(key: string): string {
  return indexHmac(secrets.index).update(key).digest().subarray(0, 16).toString('hex');
}

entityStatesConformance('PostgreSQL, of the checkpoint', async () => openBoth('entity_state', 'base_entity'));
entityStatesConformance('PostgreSQL, of the base', async () => openBoth('base_entity', 'entity_state'));
