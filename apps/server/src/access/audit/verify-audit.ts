import type { Pool } from 'pg';
import { type AuditFilter, type AuditRow, headWrong, listAudit, withoutDetail } from './audit-log.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { SealError } from '../../platform/secrets/seal.ts';
import { auditHash } from './audit-entry.ts';
import { type AuditKey, auditSignature, readAuditKey } from './audit-key.ts';

/** Rows per query. */
const rowsMax = 1_000;

export interface AuditVerdict {
  readonly entries: number;
  /** The last hash of the chain, in hex: a copy kept elsewhere reveals a chain that was recomputed. */
  readonly head: string;
  /** The first error; `undefined` if there is none. */
  readonly broken: { readonly seq: number; readonly what: string } | undefined;
}

/** Reads all entries that match a filter, oldest first. */
export async function* readAudit(pool: Pick<Pool, 'query'>, filter: AuditFilter = {}): AsyncGenerator<AuditRow> {
  for (let after = 0; ;) {
    const found = await listAudit(pool, filter, { limit: rowsMax, after });
    yield* found;
    const last = found.at(-1);
    if (last === undefined || found.length < rowsMax) return;
    after = last.seq;
  }
}

/**
 * Recomputes the hash chain and its signatures: an entry that was changed, removed or inserted breaks the chain from
 * there on, and who rebuilds it cannot sign it.
 */
export async function verifyAudit(pool: Pick<Pool, 'query'>, master: MasterKeys): Promise<AuditVerdict> {
  let before: Buffer = Buffer.alloc(32);
  let entries = 0;
  const end = await pool.query<{ seq: number; hash: Buffer; signature: Buffer | null }>(
    `select seq, hash, signature from audit_head`,
  );
  const head = end.rows[0] ?? { seq: 0, hash: before, signature: null };
  const verdict = (broken?: AuditVerdict['broken']): AuditVerdict => ({
    entries,
    head: before.toString('hex'),
    broken,
  });
  let key: AuditKey | undefined;
  try {
    key = await readAuditKey(pool, master);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    return verdict({ seq: 1, what: 'the key of its signatures was changed' });
  }
  const isSigned = (what: 'entry' | 'head', row: typeof head): boolean =>
    key === undefined || row.seq < key.fromSeq
      ? row.signature === null
      : (row.signature?.equals(auditSignature(key, what, row)) ?? false);
  for await (const row of readAudit(pool)) {
    // Appended after the head was read.
    if (row.seq > head.seq) break;
    if (row.seq !== entries + 1) return verdict({ seq: entries + 1, what: 'the entry is missing' });
    const hash = auditHash(before, withoutDetail(row), row.detail);
    if (!hash.equals(row.hash)) return verdict({ seq: row.seq, what: 'the entry was changed' });
    if (!isSigned('entry', row)) return verdict({ seq: row.seq, what: 'the signature of the entry is wrong' });
    if (row.action === headWrong) return verdict({ seq: row.seq, what: 'the chain was cut off before this entry' });
    before = hash;
    entries++;
  }
  if (entries !== head.seq) return verdict({ seq: entries + 1, what: 'the entry is missing' });
  if (!before.equals(head.hash)) return verdict({ seq: entries, what: 'the end of the chain was changed' });
  if (!isSigned('head', head)) return verdict({ seq: entries, what: 'the signature of the end is wrong' });
  const beside = await findBeside(pool);
  return beside === undefined ? verdict() : verdict({ seq: beside, what: 'the entry is not part of the chain' });
}

/**
 * Finds an entry that lists would show, but that is not part of the chain. In one statement, because an entry and the
 * new head become visible together.
 */
async function findBeside(pool: Pick<Pool, 'query'>): Promise<number | undefined> {
  const found = await pool.query<{ seq: number }>(
    `select seq from audit_entry
      where seq < 1 or seq > coalesce((select max(seq) from audit_head), 0) order by seq limit 1`,
  );
  return found.rows[0]?.seq;
}
