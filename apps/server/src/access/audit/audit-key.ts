/**
 * The key that signs the audit log. The hash chain alone detects changes by a person who does not rebuild it; who can
 * write to the database can rebuild it, but not sign it. The key is random and sealed by the master key, so the chain
 * survives a rotation of the master key.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { MasterKey } from '../../platform/secrets/master-key.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { open, type Place, seal } from '../../platform/secrets/seal.ts';
import { knownKey, sealingKey } from '../../platform/secrets/sealing-key.ts';

export const auditKeySchema = `
create table audit_key (
  singleton     boolean primary key default true check (singleton),
  master_key_id text not null,
  sealed        bytea not null,
  -- The first entry that has a signature. It is sealed with the key.
  from_seq      bigint not null
);
alter table audit_entry add column signature bytea;
alter table audit_head add column signature bytea;

create function refuse_unsigned_audit() returns trigger language plpgsql as $$
begin
  raise exception 'a newer release signs the audit log: make this change through it';
end
$$;
create trigger audit_entry_signed before insert on audit_entry
  for each row when (new.signature is null) execute function refuse_unsigned_audit();
`;

const keyBytes = 32;

export interface AuditKey {
  readonly key: Buffer;
  /** The first signed entry: earlier ones were appended by an earlier release. */
  readonly fromSeq: number;
}

interface KeyRow {
  readonly master_key_id: string;
  readonly sealed: Buffer;
  readonly from_seq: number;
}

/** What is signed: an entry, or the end of the chain. An entry's signature is not that of an end. */
type Signed = 'entry' | 'head';

export function auditSignature(
  { key }: AuditKey,
  what: Signed,
  { seq, hash }: { readonly seq: number; readonly hash: Uint8Array },
): Buffer {
  return createHmac('sha256', key).update(`${what} ${seq} `).update(hash).digest();
}

/**
 * `undefined` before the first signed entry.
 *
 * @throws OperatorError if the master key that seals it is missing
 * @throws SealError if its row was changed
 */
export async function readAuditKey(
  database: Pick<Pool | ClientBase, 'query'>,
  keys: MasterKeys,
): Promise<AuditKey | undefined> {
  const found = (await database.query(`select master_key_id, sealed, from_seq from audit_key`)) as { rows: KeyRow[] };
  return found.rows[0] && opened(keys, found.rows[0]);
}

/** Makes the key, in a transaction that holds the head of the log. */
export async function makeAuditKey(client: ClientBase, keys: MasterKeys, fromSeq: number): Promise<AuditKey> {
  const made = { key: randomBytes(keyBytes), fromSeq };
  const under = await sealingKey(client, keys);
  await client.query(`insert into audit_key (master_key_id, sealed, from_seq) values ($1, $2, $3)`, [
    under.id,
    seal(under.key, made.key, auditKeyPlace(fromSeq)),
    fromSeq,
  ]);
  return made;
}

/** Seals the key under this master key. */
export function sealAuditKeyAnew(pool: Pool, keys: MasterKeys, under: MasterKey): Promise<void> {
  return inTransaction(pool, async (client) => {
    const found = await client.query<KeyRow>(
      `select master_key_id, sealed, from_seq from audit_key where master_key_id <> $1 for update`,
      [under.id],
    );
    for (const row of found.rows) {
      const { key, fromSeq } = opened(keys, row);
      await client.query(`update audit_key set sealed = $1, master_key_id = $2`, [
        seal(under.key, key, auditKeyPlace(fromSeq)),
        under.id,
      ]);
    }
  });
}

function opened(keys: MasterKeys, row: KeyRow): AuditKey {
  const { master_key_id: id, sealed, from_seq: fromSeq } = row;
  return { key: open(knownKey(keys, id).key, sealed, auditKeyPlace(fromSeq)), fromSeq };
}

export function auditKeyPlace(fromSeq: number): Place {
  return { of: `audit key from entry ${fromSeq}`, row: '' };
}
