/**
 * Where each workspace lies. The home database has a row for each that does not lie there. Names are unique over all
 * databases: those at home by their own table, and of the others by this one.
 */
import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { type CellPlace, homeDatabase } from '../../platform/database/cell.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { Environment } from '../workspaces/workspace.ts';

interface Label {
  readonly name: string;
  readonly environment: Environment;
}

/** A workspace that does not lie in the home database, or is moving. */
export interface WorkspacePlace extends Label {
  readonly id: string;
  readonly database: string;
  readonly movingTo: string | undefined;
}

/** All of them, sorted by name. */
export async function readPlaces(home: Pool): Promise<readonly WorkspacePlace[]> {
  const { rows } = await home.query<Omit<WorkspacePlace, 'movingTo'> & { readonly moving_to: string | null }>(
    `select workspace_id as id, name, environment, database, moving_to from workspace_database order by name, environment`,
  );
  return rows.map(({ moving_to: movingTo, ...row }) => ({ ...row, movingTo: movingTo ?? undefined }));
}

/** The database in which a workspace of this name lies; `undefined` if there is no such workspace. */
export async function findPlace(home: Pool, { name, environment }: Label): Promise<string | undefined> {
  const { rows } = await home.query<{ database: string }>(
    `select database from workspace_database where name = $1 and environment = $2
      union all select $3 from workspace where name = $1 and environment = $2 and placement = 'here'`,
    [name, environment, homeDatabase],
  );
  return rows[0]?.database;
}

/**
 * Notes the workspaces of a further database that the home database does not know: it was restored to an earlier time.
 */
export async function notePlaces(pool: Pool, { name: database, home }: CellPlace): Promise<void> {
  const { rows } = await pool.query<Label & { readonly id: string }>(
    `select id, name, environment from workspace where placement = 'here'`,
  );
  const column = (of: keyof (typeof rows)[number]): readonly string[] => rows.map((row) => row[of]);
  await home.query(
    `insert into workspace_database (workspace_id, name, environment, database)
     select id, name, environment, $4 from unnest($1::text[], $2::text[], $3::text[]) as there (id, name, environment)
      where not exists (select from workspace h where h.id = there.id)
     on conflict do nothing`,
    [column('id'), column('name'), column('environment'), database],
  );
}

/** Held while a name is given, at home, by one transaction at a time. */
export async function lockNames(client: ClientBase): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('ringfence.workspace.create', 0))`);
}

/** Workspaces of the installation, in a transaction of its home database. */
export async function countWorkspaces(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select ((select count(*) from workspace where placement = 'here')
             + (select count(*) from workspace_database where database <> $1))::integer as count`,
    [homeDatabase],
  );
  return rows[0]!.count;
}

/**
 * Whether another workspace has this name, in a transaction of the home database that holds `lockNames`.
 *
 * @param id the workspace that may have it
 */
export async function isNameTaken(client: ClientBase, { name, environment }: Label, id: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from workspace_database where name = $1 and environment = $2 and workspace_id <> $3
      union all select from workspace where name = $1 and environment = $2 and id <> $3`,
    [name, environment, id],
  );
  return rowCount !== 0;
}

/**
 * Gives a workspace of a further database its name, at home; `max` if it is a new one. Called before the workspace has it there: a crash between
 * the two leaves a name that `reserveName` gives again, in the same database.
 *
 * @throws Problem `state.conflict` if the name is taken, or there are too many workspaces
 */
export function reserveName(
  { name: database, home }: CellPlace,
  wanted: Label & { readonly id: string; readonly max?: number; readonly isThere: (id: string) => Promise<boolean> },
): Promise<void> {
  const { id, name, environment, max, isThere } = wanted;
  return inTransaction(home, async (client) => {
    await lockNames(client);
    await dropLost(client, { name, environment, database, isThere });
    if (await isNameTaken(client, wanted, id)) throw nameTaken(wanted);
    if (max !== undefined && (await countWorkspaces(client)) >= max) {
      throw new Problem('state.conflict', `An installation has at most ${max} workspaces.`);
    }
    await client.query(
      `insert into workspace_database (workspace_id, name, environment, database) values ($1, $2, $3, $4)
       on conflict (workspace_id) do update set name = excluded.name`,
      [id, name, environment, database],
    );
  });
}

/** Removes the name of a creation that a crash interrupted. */
async function dropLost(
  client: ClientBase,
  of: Label & { readonly database: string; readonly isThere: (id: string) => Promise<boolean> },
): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `select workspace_id as id from workspace_database
      where name = $1 and environment = $2 and database = $3 and moving_to is null`,
    [of.name, of.environment, of.database],
  );
  for (const { id } of rows) {
    if (!(await of.isThere(id))) await client.query(`delete from workspace_database where workspace_id = $1`, [id]);
  }
}

/** The name is free again: its workspace was not created. */
export async function releaseName({ home }: CellPlace, id: string): Promise<void> {
  await home.query(`delete from workspace_database where workspace_id = $1`, [id]);
}

export function nameTaken({ name, environment }: Label): Problem {
  return new Problem('state.conflict', `The ${environment} workspace "${name}" already exists.`);
}
