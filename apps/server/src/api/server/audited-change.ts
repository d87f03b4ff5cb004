import type { NewAuditEntry } from '../../access/audit/audit-log.ts';
import { isRefusedProblem, makeNoted } from '../../access/audit/noted-change.ts';
import type { ManagementDeps } from './management-deps.ts';
import { auditEntry, type Deed, type Doer } from './note-audit.ts';

/** Performs a change through the management API and writes its entry to the audit log. */
export async function auditedChange<Answer>(
  { pool, now }: Pick<ManagementDeps, 'pool' | 'now'>,
  { exchange, deed }: { readonly exchange: Doer; readonly deed: () => Promise<Deed> },
  act: () => Promise<Answer>,
): Promise<Answer> {
  const entry = async (): Promise<NewAuditEntry> => auditEntry(now(), exchange, await deed());
  return makeNoted(pool, { begun: await entry(), done: entry, isRefusal: isRefusedProblem }, act);
}
