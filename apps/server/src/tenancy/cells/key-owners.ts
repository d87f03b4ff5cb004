/**
 * Whose each license key is, in the home database: a key names one workspace of all databases, also after it was
 * revoked. A workspace keeps its keys when it moves.
 */
import type { ClientBase, Pool } from 'pg';
import { homeOf, type OfCell } from '../../platform/database/cell.ts';

/**
 * Gives a key to a workspace, unless another has it. A workspace that exists nowhere has none: its creation failed.
 *
 * @param home the home database, or a transaction of it
 * @returns whether the workspace has the key
 */
export async function takeKey(
  home: Pool | ClientBase,
  { hash, workspaceId }: { readonly hash: Buffer; readonly workspaceId: string },
): Promise<boolean> {
  const { rowCount } = await home.query(
    `insert into license_key_owner as o (hash, workspace_id) values ($1, $2)
     on conflict (hash) do update set workspace_id = excluded.workspace_id
      where o.workspace_id = excluded.workspace_id
         or (not exists (select from workspace w where w.id = o.workspace_id)
             and not exists (select from workspace_database d where d.workspace_id = o.workspace_id))`,
    [hash, workspaceId],
  );
  return rowCount === 1;
}

/** Notes the keys of a database that the home database does not know: it was restored to an earlier time. */
export async function noteKeys(of: OfCell): Promise<void> {
  const { rows } = await of.pool.query<{ hash: Buffer; workspace: string }>(
    `select hash, workspace_id as workspace from license_key`,
  );
  await homeOf(of).query(
    `insert into license_key_owner (hash, workspace_id) select * from unnest($1::bytea[], $2::text[])
     on conflict do nothing`,
    [rows.map(({ hash }) => hash), rows.map(({ workspace }) => workspace)],
  );
}

/** A key and the workspace that has it. */
export interface OwnedKey {
  readonly hash: Buffer;
  readonly workspaceId: string;
  /** `acme/production` */
  readonly label: string;
}

/** Those of the keys that a workspace has, by the home database. */
export async function readOwners(home: Pool, hashes: readonly Buffer[]): Promise<readonly OwnedKey[]> {
  const { rows } = await home.query<OwnedKey>(
    `select o.hash, o.workspace_id as "workspaceId",
            coalesce(d.name || '/' || d.environment, w.name || '/' || w.environment) as label
       from license_key_owner o
       left join workspace_database d on d.workspace_id = o.workspace_id
       left join workspace w on w.id = o.workspace_id
      where o.hash = any($1) and (d.name is not null or w.name is not null)`,
    [hashes],
  );
  return rows;
}

/** A key of this database that another workspace has too. */
export interface DoubleKey extends OwnedKey {
  readonly id: string;
  readonly hint: string;
  /** The other workspace. */
  readonly other: string;
}

/** License keys by which two workspaces are named: only one of them gets the events. */
export async function findDoubleKeys(of: OfCell): Promise<readonly DoubleKey[]> {
  const { rows } = await of.pool.query<Omit<DoubleKey, 'other'>>(
    `select k.id, k.hash, k.hint, w.id as "workspaceId", w.name || '/' || w.environment as label
       from license_key k join workspace w on w.id = k.workspace_id where w.placement = 'here' order by label, k.id`,
  );
  const owners = await readOwners(
    homeOf(of),
    rows.map(({ hash }) => hash),
  );
  return rows.flatMap((row) => {
    const owner = owners.find(({ hash }) => hash.equals(row.hash));
    return owner === undefined || owner.workspaceId === row.workspaceId ? [] : [{ ...row, other: owner.label }];
  });
}
