import { createHash } from 'node:crypto';

/** One thing that somebody did. */
export interface AuditEntry {
  /** 1 and up, without a gap. */
  readonly seq: number;
  readonly atMs: number;
  /** `undefined`: it is about the installation. */
  readonly workspaceId: string | undefined;
  readonly actorKind: 'person' | 'machine' | 'nobody';
  /** The e-mail address of a person; `os:USER` of a command, `file:NAME` of a start; `first start`; `admin token`. */
  readonly actor: string;
  /** The id of an operation, or `logIn.failed`, `personalData.show` … */
  readonly action: string;
  /** What it was done to: an id, never a personal value. */
  readonly target: string | undefined;
  readonly address: string;
  readonly requestId: string;
  /** What it was before and after, and whatever else says more. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * The hash of an entry: SHA-256 over the hash before it and the entry as a list of JSON, in the order of the columns.
 * Whoever has the export can compute it without us.
 */
export function auditHash(before: Uint8Array, entry: Omit<AuditEntry, 'detail'>, detail: string): Buffer {
  const { seq, atMs, workspaceId, actorKind, actor, action, target, address, requestId } = entry;
  const line = JSON.stringify([
    seq,
    new Date(atMs).toISOString(),
    workspaceId ?? null,
    actorKind,
    actor,
    action,
    target ?? null,
    address,
    requestId,
    detail,
  ]);
  return createHash('sha256').update(before).update(line).digest();
}
