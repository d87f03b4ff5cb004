import type { Pool } from 'pg';
import { PostgresEntityStates } from '../../src/decide/entity-states/postgres-entity-states.ts';
import type { StateStore } from '../../src/decide/entity-states/segment-rows.ts';
import type { SubjectKeys } from '../../src/tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';

/** An entity in the database, for comparison. */
export interface StoredState {
  readonly name: string;
  readonly subject: string | undefined;
  readonly state: string;
}

interface From {
  readonly pool: Pool;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
  readonly workspace: Workspace;
}

/** The engine's entities as the database has them, by name; those of erased clients cannot be read. */
export async function storedStates(
  { pool, subjects, workspace }: From,
  store: StateStore = 'checkpoint',
): Promise<readonly StoredState[]> {
  const stored: StoredState[] = [];
  const states = new PostgresEntityStates(workspace, store, subjects);
  for await (const { name, subject, state } of states.entries(pool)) {
    stored.push({ name: name.toString('hex'), subject, state: state.toString('hex') });
  }
  return stored;
}

/** Removes every entity of one store, of all workspaces. */
export async function loseStates(pool: Pool, store: StateStore = 'checkpoint'): Promise<void> {
  await pool.query(`delete from state_block where segment in (select id from state_segment where store = $1)`, [store]);
  await pool.query(`delete from state_segment where store = $1`, [store]);
}
