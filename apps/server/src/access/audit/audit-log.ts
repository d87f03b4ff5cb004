import { assert } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { MasterKeys } from '../../platform/secrets/master-keys.ts';
import { type AuditEntry, auditHash } from './audit-entry.ts';
import { type AuditKey, auditSignature, makeAuditKey, readAuditKey } from './audit-key.ts';

export type NewAuditEntry = Omit<AuditEntry, 'seq'>;

/** The action of an entry that follows a head with a wrong signature. */
export const headWrong = 'audit.headWrong';

/** The end of the chain after an entry. */
export interface AuditHead {
  readonly seq: number;
  readonly hash: Buffer;
}

interface HeadRow extends AuditHead {
  readonly signature: Buffer | null;
}

/** Appends an entry to the chain, in its own transaction. */
export function appendAudit(pool: Pool, master: MasterKeys, entry: NewAuditEntry): Promise<AuditHead> {
  return inTransaction(pool, (client) => appendAuditIn(client, master, entry));
}

/**
 * The same in the caller's transaction: the change and its entry are committed together. If the head has a wrong
 * signature, an entry says so first: a chain that was cut off and continued would look whole.
 */
export async function appendAuditIn(client: ClientBase, master: MasterKeys, entry: NewAuditEntry): Promise<AuditHead> {
  const found = await client.query<HeadRow>(`select seq, hash, signature from audit_head for update`);
  const before = found.rows[0];
  assert(before !== undefined, 'the audit log has its head');
  const key = (await readAuditKey(client, master)) ?? (await makeAuditKey(client, master, before.seq + 1));
  const isFirst = before.seq + 1 === key.fromSeq;
  const isSigned = before.signature?.equals(auditSignature(key, 'head', before)) ?? false;
  const head =
    isFirst || isSigned ? before : await append(client, { key, before, entry: headWrongEntry(entry.atMs, before) });
  return append(client, { key, before: head, entry });
}

function headWrongEntry(atMs: number, { seq, hash }: AuditHead): NewAuditEntry {
  const by = { actorKind: 'nobody', actor: 'unknown', address: '', requestId: '' } as const;
  const detail = { after: seq, hash: hash.toString('hex') };
  return { ...by, atMs, workspaceId: undefined, action: headWrong, target: undefined, detail };
}

async function append(
  client: ClientBase,
  { key, before, entry }: { readonly key: AuditKey; readonly before: AuditHead; readonly entry: NewAuditEntry },
): Promise<AuditHead> {
  const detail = JSON.stringify(entry.detail);
  const seq = before.seq + 1;
  const hash = auditHash(before.hash, { ...entry, seq }, detail);
  await client.query(
    `insert into audit_entry (seq, at, workspace_id, actor_kind, actor, action, target, address, request_id, detail, hash,
                              signature)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      seq,
      new Date(entry.atMs),
      entry.workspaceId ?? null,
      entry.actorKind,
      entry.actor,
      entry.action,
      entry.target ?? null,
      entry.address,
      entry.requestId,
      detail,
      hash,
      auditSignature(key, 'entry', { seq, hash }),
    ],
  );
  await client.query(`update audit_head set seq = $1, hash = $2, signature = $3`, [
    seq,
    hash,
    auditSignature(key, 'head', { seq, hash }),
  ]);
  return { seq, hash };
}

export interface AuditRow {
  readonly seq: number;
  readonly at: Date;
  readonly workspace_id: string | null;
  readonly actor_kind: AuditEntry['actorKind'];
  readonly actor: string;
  readonly action: string;
  readonly target: string | null;
  readonly address: string;
  readonly request_id: string;
  readonly detail: string;
  readonly hash: Buffer;
  readonly signature: Buffer | null;
}

export interface AuditFilter {
  /** Only entries of this workspace; `undefined`: of all workspaces, and of the installation. */
  readonly workspaceId?: string | undefined;
  readonly actor?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

/** At most `limit` entries: newest first, those before a number; or oldest first, those after a number. */
export async function listAudit(
  pool: Pick<Pool, 'query'>,
  filter: AuditFilter,
  page: { readonly limit: number; readonly before?: number | undefined; readonly after?: number | undefined },
): Promise<readonly AuditRow[]> {
  const { workspaceId, actor, action, target, fromMs, toMs } = filter;
  const found = await pool.query<AuditRow>(
    `select * from audit_entry
      where ($1::text is null or workspace_id = $1) and ($2::text is null or actor = $2)
        and ($3::text is null or action = $3) and ($4::text is null or target = $4)
        and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)
        and ($7::bigint is null or seq < $7) and ($8::bigint is null or seq > $8)
      order by seq ${page.after === undefined ? 'desc' : 'asc'} limit $9`,
    [
      workspaceId ?? null,
      actor ?? null,
      action ?? null,
      target ?? null,
      fromMs === undefined ? null : new Date(fromMs),
      toMs === undefined ? null : new Date(toMs),
      page.before ?? null,
      page.after ?? null,
      page.limit,
    ],
  );
  return found.rows;
}

export function auditEntryOf(row: AuditRow): AuditEntry {
  return { ...withoutDetail(row), detail: JSON.parse(row.detail) as AuditEntry['detail'] };
}

/** The hashed columns other than the text of the detail. */
export function withoutDetail(row: AuditRow): Omit<AuditEntry, 'detail'> {
  return {
    seq: row.seq,
    atMs: row.at.getTime(),
    workspaceId: row.workspace_id ?? undefined,
    actorKind: row.actor_kind,
    actor: row.actor,
    action: row.action,
    target: row.target ?? undefined,
    address: row.address,
    requestId: row.request_id,
  };
}
