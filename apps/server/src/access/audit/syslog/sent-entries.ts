/** How far the audit log has left to the syslog server: the cursor of all processes on the database. */
import type { ClientBase, Pool } from 'pg';

export const auditSentSchema = `
-- The last entry that a syslog server took, with all before it.
create table audit_sent (
  singleton boolean primary key default true check (singleton),
  seq       bigint not null,
  sent_at   timestamptz
);
insert into audit_sent (seq) values (0);
`;

export interface UnsentEntries {
  readonly waiting: number;
  /** Age of the oldest of them; 0 without any. */
  readonly oldestMs: number;
}

type Database = Pick<Pool | ClientBase, 'query'>;

export async function readUnsent(database: Database, nowMs: number): Promise<UnsentEntries> {
  const found = await database.query<{ waiting: number; at: Date | null }>(
    `select h.seq - s.seq as waiting, e.at
       from audit_head h cross join audit_sent s left join audit_entry e on e.seq = s.seq + 1`,
  );
  const { waiting = 0, at = null } = found.rows[0] ?? {};
  return { waiting: Math.max(0, waiting), oldestMs: at === null ? 0 : Math.max(0, nowMs - at.getTime()) };
}

/** The last entry that left. */
export async function readSent(database: Database): Promise<number> {
  const found = await database.query<{ seq: number }>(`select seq from audit_sent`);
  return found.rows[0]?.seq ?? 0;
}

/** Never moves back: a process that lost its lock may be late. */
export async function moveSent(database: Database, seq: number): Promise<void> {
  await database.query(`update audit_sent set seq = $1, sent_at = now() where seq < $1`, [seq]);
}
