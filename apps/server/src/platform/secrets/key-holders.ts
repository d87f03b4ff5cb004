/**
 * Which running processes have which master keys. Each process states its keys by shared advisory locks on a connection
 * that it keeps open: the locks end with the process, however it ends, and nothing is written.
 */
import type { ClientBase, Pool } from 'pg';
import type { MasterKeys } from './master-keys.ts';

const aProcess = 'ringfence.process';
/** Locked by processes that read their keys from a file, and read it again if a key is missing. */
const anyKey = 'ringfence.master-key';
const keyLock = (id: string): string => `ringfence.master-key.${id}`;

/** Announces that this process runs, and which keys it has. */
export async function announceKeys(client: ClientBase, keys: MasterKeys): Promise<void> {
  const has = keys.from === 'file' ? [anyKey] : keys.all().map(({ id }) => keyLock(id));
  // In this order, because a reader must not see a process before its keys.
  for (const name of [...has, aProcess]) {
    await client.query(`select pg_advisory_lock_shared(hashtextextended($1, 0))`, [name]);
  }
}

/** Whether any process of the service runs on this database. */
export async function isProcessRunning(client: ClientBase): Promise<boolean> {
  const found = await client.query(
    `select 1 from pg_locks where locktype = 'advisory' and objsubid = 1 and granted
        and database = (select oid from pg_database where datname = current_database())
        and (classid::bigint << 32) | objid::bigint = hashtextextended($1, 0) limit 1`,
    [aProcess],
  );
  return found.rowCount !== 0;
}

/** Whether some running process could not decrypt what is sealed under this key. */
export async function lacksKeySomewhere(pool: Pool, id: string): Promise<boolean> {
  const found = await pool.query(
    `with held as (
       select pid, (classid::bigint << 32) | objid::bigint as lock from pg_locks
        where locktype = 'advisory' and objsubid = 1 and granted
          and database = (select oid from pg_database where datname = current_database())
     )
     select 1 from held one where one.lock = hashtextextended($1, 0)
        and not exists (select 1 from held other
                         where other.pid = one.pid and other.lock in (hashtextextended($2, 0), hashtextextended($3, 0)))
      limit 1`,
    [aProcess, anyKey, keyLock(id)],
  );
  return found.rowCount !== 0;
}
