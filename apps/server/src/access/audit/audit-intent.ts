/**
 * A change and its entry in the audit log are two transactions. So that an end between them leaves no change without an
 * entry, what is about to be done is noted first:
 *
 *     noted --while it is being done--> noted anew, every 10 s
 *       |---done--> entry appended, note gone (one transaction)
 *       |---refused--> note gone: nothing was changed
 *       '---the process ended, or failed on the way--> an entry that says `unfinished`, by whoever looks next
 */
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import { appendAuditIn, type NewAuditEntry } from './audit-log.ts';

export const auditIntentSchema = `
-- What is being done. Emptied by the entry about it; what stays was left by a process that ended.
create table audit_intent (
  id    bigint generated always as identity primary key,
  at    timestamptz not null default now(),
  entry jsonb not null
);
`;

/** How often a note is made anew while the change is being made: six times in the minute after which it counts as left. */
const renewEveryMs = 10_000;
/** Older notes are of processes that ended. */
const unfinishedAfter = '1 minute';
/** Notes that one look makes entries of. */
const settledMax = 1_000;

/** Notes what is about to be done. @returns its id, for `completeIntent` */
export async function noteIntent(pool: Pool, entry: NewAuditEntry): Promise<number> {
  const noted = await pool.query<{ id: number }>(`insert into audit_intent (entry) values ($1) returning id`, [entry]);
  return noted.rows[0]!.id;
}

/** Keeps a note from looking left, for as long as it takes. @returns what ends that */
export function renewIntent(pool: Pool, id: number): () => void {
  const renew = (): void => {
    // While the database is away nobody looks; the next one tells again.
    pool.query(`update audit_intent set at = now() where id = $1`, [id]).catch(() => {});
  };
  const timer = setInterval(renew, renewEveryMs).unref();
  return () => clearInterval(timer);
}

/** It is done: the entry stands in the note's place. */
export function completeIntent(pool: Pool, id: number, entry: NewAuditEntry): Promise<void> {
  return inTransaction(pool, async (client) => {
    await removeIntent(client, id);
    await appendAuditIn(client, entry);
  });
}

/** It was refused, and changed nothing. */
export async function removeIntent(database: Pool | ClientBase, id: number): Promise<void> {
  await database.query(`delete from audit_intent where id = $1`, [id]);
}

/** Makes entries of what was begun and never finished: it may have been done, in part or as a whole. */
export function settleIntents(pool: Pool): Promise<number> {
  return inTransaction(pool, async (client) => {
    const left = await client.query<{ id: number; entry: NewAuditEntry }>(
      `delete from audit_intent where id in (
         select id from audit_intent where at < now() - interval '${unfinishedAfter}'
          order by id limit ${settledMax} for update skip locked)
       returning id, entry`,
    );
    for (const { entry } of left.rows.toSorted((a, b) => a.id - b.id)) {
      await appendAuditIn(client, { ...entry, detail: { ...entry.detail, unfinished: true } });
    }
    return left.rows.length;
  });
}
