import { printAuditEntry } from '../api/audit/audit-schema.ts';
import { listAudit } from '../access/audit/audit-log.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { SourceDeps } from './decision-source.ts';
import { type Fact, type FactPage, type FactSource, workspaceText } from './fact.ts';
import type { AuditMessage } from './message-schemas.ts';

/** Of a hash, enough to distinguish entries of two lives of a database. */
const hashLength = 12;

interface AuditOptions {
  readonly byId: (workspaceId: string) => Workspace | undefined;
  /** Whether entries of this workspace belong to the stream; those of the installation have none. */
  readonly isWanted: (workspace: Workspace | undefined) => boolean;
}

/** Entries of the audit log, in its order. */
export function auditSource({ pool }: Pick<SourceDeps, 'pool'>, { byId, isWanted }: AuditOptions): FactSource {
  return {
    async read(_workspace, from, limit): Promise<FactPage> {
      const rows = await listAudit(pool, {}, { limit, after: from - 1 });
      const facts = rows.flatMap((row): Fact[] => {
        const workspace = row.workspace_id === null ? undefined : byId(row.workspace_id);
        if (!isWanted(workspace)) return [];
        const message = {
          id: `${row.seq}-${row.hash.toString('hex').slice(0, hashLength)}`,
          kind: 'audit',
          ...(workspace === undefined ? {} : { workspace: workspaceText(workspace) }),
          sequence: row.seq,
          at: row.at.toISOString(),
          entry: printAuditEntry(row),
        } satisfies AuditMessage;
        // One key: they leave in one order.
        return [{ position: row.seq, atMs: row.at.getTime(), key: 'audit', message }];
      });
      const last = rows.at(-1);
      return { facts, next: last === undefined ? from : last.seq + 1, isMore: rows.length === limit };
    },
  };
}
