import type { Pool } from 'pg';
import { type AuditFilter, type AuditRow, listAudit, withoutDetail } from './audit-log.ts';
import { auditHash } from './audit-entry.ts';

/** Rows of one query. */
const rowsMax = 1_000;

export interface AuditVerdict {
  readonly entries: number;
  /** The end of the chain, in hex: keep it elsewhere, and a chain that was made anew is noticed. */
  readonly head: string;
  /** The first thing that is wrong; `undefined`: nothing is. */
  readonly broken: { readonly seq: number; readonly what: string } | undefined;
}

/** Every entry that a filter finds, oldest first. */
export async function* readAudit(pool: Pick<Pool, 'query'>, filter: AuditFilter = {}): AsyncGenerator<AuditRow> {
  for (let after = 0; ;) {
    const found = await listAudit(pool, filter, { limit: rowsMax, after });
    yield* found;
    const last = found.at(-1);
    if (last === undefined || found.length < rowsMax) return;
    after = last.seq;
  }
}

/** Computes the chain anew: an entry that was changed, taken out or put in breaks it from there on. */
export async function verifyAudit(pool: Pick<Pool, 'query'>): Promise<AuditVerdict> {
  let before: Buffer = Buffer.alloc(32);
  let entries = 0;
  const end = await pool.query<{ seq: number; hash: Buffer }>(`select seq, hash from audit_head`);
  const head = end.rows[0] ?? { seq: 0, hash: before };
  const verdict = (broken?: AuditVerdict['broken']): AuditVerdict => ({
    entries,
    head: before.toString('hex'),
    broken,
  });
  for await (const row of readAudit(pool)) {
    // What was appended since the look at the head.
    if (row.seq > head.seq) break;
    if (row.seq !== entries + 1) return verdict({ seq: entries + 1, what: 'the entry is missing' });
    const hash = auditHash(before, withoutDetail(row), row.detail);
    if (!hash.equals(row.hash)) return verdict({ seq: row.seq, what: 'the entry was changed' });
    before = hash;
    entries++;
  }
  if (entries !== head.seq) return verdict({ seq: entries + 1, what: 'the entry is missing' });
  if (!before.equals(head.hash)) return verdict({ seq: entries, what: 'the end of the chain was changed' });
  const beside = await findBeside(pool);
  return beside === undefined ? verdict() : verdict({ seq: beside, what: 'the entry is no part of the chain' });
}

/**
 * An entry that lists show, and that no chain goes through. Looked for in one statement: an entry and the end of the
 * chain become visible together.
 */
async function findBeside(pool: Pick<Pool, 'query'>): Promise<number | undefined> {
  const found = await pool.query<{ seq: number }>(
    `select seq from audit_entry
      where seq < 1 or seq > coalesce((select max(seq) from audit_head), 0) order by seq limit 1`,
  );
  return found.rows[0]?.seq;
}
