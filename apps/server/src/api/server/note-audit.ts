import type { Caller } from '../../access/accounts/caller.ts';
import { nameOf } from '../../access/accounts/caller.ts';
import { appendAudit, type NewAuditEntry } from '../../access/audit/audit-log.ts';
import type { ManagementDeps } from './management-deps.ts';

/** Who performed an operation, and from where. */
export interface Doer {
  readonly caller: Caller;
  readonly address: string;
  readonly requestId: string;
}

/** What was done. */
export type Deed = Pick<NewAuditEntry, 'action'> &
  Partial<Pick<NewAuditEntry, 'workspaceId' | 'target' | 'detail' | 'actor'>>;

/** Builds an entry of the audit log from who acted and what they did. */
export function auditEntry(nowMs: number, { caller, address, requestId }: Doer, deed: Deed): NewAuditEntry {
  const { action, workspaceId, target, detail = {}, actor = nameOf(caller) } = deed;
  return { atMs: nowMs, actorKind: caller.kind, actor, address, requestId, action, workspaceId, target, detail };
}

export function noteAudit({ pool, now }: Pick<ManagementDeps, 'pool' | 'now'>, doer: Doer, deed: Deed): Promise<void> {
  return appendAudit(pool, auditEntry(now(), doer, deed));
}
