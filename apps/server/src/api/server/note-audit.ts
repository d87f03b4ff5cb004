import { homeOf } from '../../platform/database/cell.ts';
import { type Caller, nameOf } from '../../access/caller.ts';
import { appendAudit } from '../../access/audit/audit-log.ts';
import { type AuditAction, type AuditActor, type AuditDeps, auditEntry } from '../../access/audit/audited-change.ts';

/** What a request says about its sender. */
export interface Sender {
  readonly caller: Caller;
  readonly address: string;
  readonly requestId: string;
}

/** The sender of a request, for the audit log. */
export function auditActor({ caller, address, requestId }: Sender): AuditActor {
  return { actorKind: caller.kind === 'token' ? 'machine' : caller.kind, actor: nameOf(caller), address, requestId };
}

/** Appends an entry about something that changes nothing, such as a look at personal data. */
export async function noteAudit(deps: AuditDeps, sender: Sender, what: AuditAction): Promise<void> {
  await appendAudit(homeOf(deps), deps.master, auditEntry(deps.now(), auditActor(sender), what));
}
