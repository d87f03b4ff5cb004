/**
 * A change and its audit entry are two transactions. An intent is written first, so that a crash between the two leaves
 * no change without an entry:
 *
 *     intent --while the change is made--> renewed every 10 s
 *       |---done--> entry appended, intent deleted (one transaction)
 *       |---refused--> intent deleted: nothing was changed
 *       '---process ended, or change failed--> the next process to check writes an entry marked `unfinished`
 */
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { appendAuditIn, type AuditHead, type NewAuditEntry } from './audit-log.ts';

export const auditIntentSchema = `
-- What is being done. Emptied by the entry about it; what stays was left by a process that ended.
create table audit_intent (
  id    bigint generated always as identity primary key,
  at    timestamptz not null default now(),
  entry jsonb not null
);
`;

/**
 * Renewal interval of an intent during its change: six renewals fit into the minute after which it counts as abandoned.
 */
const renewEveryMs = 10_000;
/** Older intents were left by processes that ended. */
const unfinishedAfter = '1 minute';
/** Intents settled per check. */
const settledMax = 1_000;

interface IntentDeps {
  readonly pool: Pool;
  readonly master: MasterKeys;
}

/** Writes the intent of a change. @returns its id, for `completeIntent` */
export async function noteIntent(pool: Pool, entry: NewAuditEntry): Promise<number> {
  const noted = await pool.query<{ id: number }>(`insert into audit_intent (entry) values ($1) returning id`, [entry]);
  return noted.rows[0]!.id;
}

/** Renews an intent while its change is made. @returns a function that stops the renewal */
export function renewIntent(pool: Pool, id: number): () => void {
  const renew = (): void => {
    // While the database is unavailable no process checks for intents; the next renewal tries again.
    pool.query(`update audit_intent set at = now() where id = $1`, [id]).catch(() => {});
  };
  const timer = setInterval(renew, renewEveryMs).unref();
  return () => clearInterval(timer);
}

/** Replaces the intent of a completed change by its entry. */
export function completeIntent({ pool, master }: IntentDeps, id: number, entry: NewAuditEntry): Promise<AuditHead> {
  return inTransaction(pool, async (client) => {
    await removeIntent(client, id);
    return appendAuditIn(client, master, entry);
  });
}

/** Deletes the intent of a refused change, which changed nothing. */
export async function removeIntent(database: Pool | ClientBase, id: number): Promise<void> {
  await database.query(`delete from audit_intent where id = $1`, [id]);
}

/** Writes entries for abandoned intents: such a change may have been made completely, in part or not at all. */
export function settleIntents({ pool, master }: IntentDeps): Promise<number> {
  return inTransaction(pool, async (client) => {
    const left = await client.query<{ id: number; entry: NewAuditEntry }>(
      `delete from audit_intent where id in (
         select id from audit_intent where at < now() - interval '${unfinishedAfter}'
          order by id limit ${settledMax} for update skip locked)
       returning id, entry`,
    );
    for (const { entry } of left.rows.toSorted((a, b) => a.id - b.id)) {
      await appendAuditIn(client, master, { ...entry, detail: { ...entry.detail, unfinished: true } });
    }
    return left.rows.length;
  });
}
