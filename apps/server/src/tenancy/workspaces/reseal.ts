import type { ClientBase, Pool } from 'pg';
import type { MasterKey } from '../../platform/secrets/master-key.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { open, type Place, seal } from '../../platform/secrets/seal.ts';
import { knownKey } from '../../platform/secrets/sealing-key.ts';
import { keyPlace } from './license-keys.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import { secretPlace } from './workspace-secrets.ts';

/** The number of secrets encrypted under one master key. */
export interface KeyUse {
  readonly masterKeyId: string;
  readonly secrets: number;
  readonly licenseKeys: number;
  /** Second factors of console accounts. */
  readonly secondFactors: number;
}

/** All uses of each master key, by key id. */
export async function readKeyUses(database: Pool | ClientBase): Promise<readonly KeyUse[]> {
  const found = await database.query<{ id: string; secrets: number; keys: number; factors: number }>(
    `select id, sum(secrets)::integer as secrets, sum(keys)::integer as keys, sum(factors)::integer as factors from (
       select master_key_id as id, 1 as secrets, 0 as keys, 0 as factors from workspace_secret
       union all
       select master_key_id, 0, 1, 0 from license_key where sealed is not null
       union all
       select master_key_id, 0, 0, 1 from account where master_key_id is not null
       union all
       select master_key_id, 0, 0, 0 from audit_key
     ) sealed group by id order by id`,
  );
  return found.rows.map(({ id, secrets, keys, factors }) => ({
    masterKeyId: id,
    secrets,
    licenseKeys: keys,
    secondFactors: factors,
  }));
}

/** Workspaces with secrets encrypted under a master key other than this one; at most 1,000. */
export async function workspacesNotUnder(database: Pool | ClientBase, id: string): Promise<readonly string[]> {
  const found = await database.query<{ workspace_id: string }>(
    `select workspace_id from workspace_secret where master_key_id <> $1
     union
     select workspace_id from license_key where sealed is not null and master_key_id <> $1
     order by workspace_id`,
    [id],
  );
  return found.rows.map((row) => row.workspace_id);
}

/**
 * Encrypts all secrets of one workspace under this master key, in one transaction of about ten rows. The workspace row
 * is locked first, as in every other change, which prevents deadlocks.
 *
 * @throws OperatorError if a master key that currently encrypts a secret is missing
 */
export function reseal(pool: Pool, keys: MasterKeys, of: { readonly workspaceId: string; readonly under: MasterKey }) {
  const { workspaceId, under } = of;
  return inTransaction(pool, async (client) => {
    await client.query(`select id from workspace where id = $1 for update`, [workspaceId]);
    const anew = (row: SealedRow, place: Place): Buffer =>
      seal(under.key, open(knownKey(keys, row.master_key_id).key, row.sealed, place), place);
    const secrets = await client.query<SealedRow & { name: string; version: number }>(
      `select name, version, master_key_id, sealed from workspace_secret where workspace_id = $1 and master_key_id <> $2`,
      [workspaceId, under.id],
    );
    for (const row of secrets.rows) {
      await client.query(
        `update workspace_secret set sealed = $4, master_key_id = $5 where workspace_id = $1 and name = $2 and version = $3`,
        [workspaceId, row.name, row.version, anew(row, secretPlace(workspaceId, row.name, row.version)), under.id],
      );
    }
    const licenseKeys = await client.query<SealedRow & { id: string }>(
      `select id, master_key_id, sealed from license_key
        where workspace_id = $1 and sealed is not null and master_key_id <> $2`,
      [workspaceId, under.id],
    );
    for (const row of licenseKeys.rows) {
      await client.query(`update license_key set sealed = $2, master_key_id = $3 where id = $1`, [
        row.id,
        anew(row, keyPlace(workspaceId, row.id)),
        under.id,
      ]);
    }
    return { secrets: secrets.rows.length, licenseKeys: licenseKeys.rows.length };
  });
}

interface SealedRow {
  readonly master_key_id: string;
  readonly sealed: Buffer;
}
