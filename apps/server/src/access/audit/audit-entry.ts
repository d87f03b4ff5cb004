import { createHash } from 'node:crypto';

/** One entry of the audit log. */
export interface AuditEntry {
  /** Consecutive numbers from 1. */
  readonly seq: number;
  readonly atMs: number;
  /** `undefined`: the entry concerns the installation. */
  readonly workspaceId: string | undefined;
  readonly actorKind: 'person' | 'machine' | 'nobody';
  /** The e-mail address of a person; `os:USER` for a command, `file:NAME` for a start; `first start`; `admin token`. */
  readonly actor: string;
  /** The id of an operation, or `logIn.failed`, `personalData.show` … */
  readonly action: string;
  /** What it was applied to: an id, never personal data. */
  readonly target: string | undefined;
  readonly address: string;
  readonly requestId: string;
  /** The values before and after, and further details. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/**
 * The hash of an entry: SHA-256 over the previous hash and the entry as a JSON list, in the order of the columns.
 * Anyone with an export can recompute it.
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
