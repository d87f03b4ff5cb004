import { timingSafeEqual } from 'node:crypto';
import type { ClientBase, Pool } from 'pg';
import { assert } from '@ringfence/contract';
import { OperatorError } from '../observability/operator-error.ts';
import { type MasterKey, masterKeyCheck } from './master-key.ts';
import type { MasterKeys } from './master-keys.ts';

/**
 * The key that seals what this transaction writes. A rotation waits for the end of the transaction, so that nothing is
 * sealed under a replaced key.
 *
 * @throws OperatorError if this process does not have the key
 */
export async function sealingKey(client: ClientBase, keys: MasterKeys): Promise<MasterKey> {
  const found = await client.query<{ master_key_id: string }>(`select master_key_id from installation for share`);
  const row = found.rows[0];
  assert(row !== undefined, 'the installation has a master key');
  return knownKey(keys, row.master_key_id);
}

/** @throws OperatorError if this process does not have the key */
export function knownKey(keys: MasterKeys, id: string): MasterKey {
  const key = keys.get(id);
  if (key !== undefined) return key;
  throw new OperatorError(
    `Some data is sealed under master key ${id}, but ${keys.where} has ${namesOf(keys)}.`,
    `Add key ${id} to ${keys.where}, keep the other one, and start again.`,
  );
}

/** The master keys under which data in a database are or were sealed. */
export interface KeysOfDatabase {
  readonly sealing: string;
  /** When each of the others was replaced. */
  readonly retiredAt: ReadonlyMap<string, Date>;
}

export async function readKeysOfDatabase(database: Pool | ClientBase): Promise<KeysOfDatabase> {
  const sealing = await database.query<{ master_key_id: string }>(`select master_key_id from installation`);
  const retired = await database.query<{ id: string; retired_at: Date }>(
    `select id, retired_at from retired_master_key`,
  );
  return {
    sealing: sealing.rows[0]!.master_key_id,
    retiredAt: new Map(retired.rows.map(({ id, retired_at: at }) => [id, at])),
  };
}

/**
 * Checks that one of these keys seals this database; a new database adopts the first one.
 *
 * @throws OperatorError if the database has another key: nothing could be decrypted, and what is written now could not
 *   be decrypted later
 */
export async function verifyMasterKeys(database: Pool | ClientBase, keys: MasterKeys): Promise<void> {
  const first = keys.all()[0]!;
  await database.query(
    `insert into installation (master_key_id, master_key_check) values ($1, $2) on conflict (singleton) do nothing`,
    [first.id, masterKeyCheck(first)],
  );
  const found = await database.query<{ master_key_id: string; master_key_check: Buffer }>(
    `select master_key_id, master_key_check from installation`,
  );
  const row = found.rows[0]!;
  if (keys.all().some((key) => timingSafeEqual(row.master_key_check, masterKeyCheck(key)))) return;
  if (keys.made) keys.unmake();
  throw await notTheOne(database, keys, row.master_key_id);
}

async function notTheOne(database: Pool | ClientBase, keys: MasterKeys, sealing: string): Promise<OperatorError> {
  const what = `The master key in ${keys.where} (id ${namesOf(keys)}) is not the one that sealed this database (id ${sealing}).`;
  const { retiredAt } = await readKeysOfDatabase(database);
  const retired = keys.all().find(({ id }) => retiredAt.has(id));
  if (retired !== undefined) {
    const day = retiredAt.get(retired.id)!.toISOString().slice(0, 10);
    return new OperatorError(`${what} ${retired.id} was replaced on ${day}.`, `Provide the key ${sealing}.`);
  }
  return new OperatorError(
    what,
    keys.made
      ? `The key was created just now, so the old one is missing: restore it in RINGFENCE_MASTER_KEY or ${keys.where}.`
      : 'Provide the key that this database was created with, or the database that belongs to this key. Without it nothing can be decrypted.',
  );
}

function namesOf(keys: MasterKeys): string {
  return keys
    .all()
    .map(({ id }) => id)
    .join(' and ');
}
