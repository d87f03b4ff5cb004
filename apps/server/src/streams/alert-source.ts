import type { Pool } from 'pg';
import { printAlerts } from '../api/alerts/print-alerts.ts';
import type { PrintedAlert } from '../api/alerts/alert-schema.ts';
import { readAlerts } from '../console/alerts/alert-rows.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import type { SourceDeps } from './decision-source.ts';
import { type Fact, type FactPage, type FactSource, nothingFound, workspaceText } from './fact.ts';
import { keyOfClient } from './message-key.ts';
import type { AlertMessage } from './message-schemas.ts';

interface Row {
  readonly seq: number;
  readonly at: Date;
  readonly ref: string;
  readonly data: { readonly id: string; readonly change: AlertMessage['change'] };
}

/**
 * Changes of alerts, in the order in which they were committed: the entries that open pages get. See live-log.ts, which
 * keeps them until they have left.
 */
export function alertSource({ pool, subjects, now }: SourceDeps & { readonly now: () => number }): FactSource {
  return {
    async read(workspace, from, limit): Promise<FactPage> {
      if (workspace === undefined) return nothingFound(from);
      const { rows, next } = await readChanges(pool, workspace.id, { from, limit });
      const alerts = await printedAlerts(workspace, rows);
      const facts = rows.map((row): Fact => {
        const alert = alerts.get(row.data.id);
        const client = keyOfClient(workspace, alert?.client);
        const message = {
          id: row.ref,
          kind: 'alerts',
          workspace: workspaceText(workspace),
          sequence: row.seq,
          at: row.at.toISOString(),
          ...(client === undefined ? {} : { client }),
          change: row.data.change,
          alertId: row.data.id,
          ...(alert === undefined ? {} : { alert }),
        } satisfies AlertMessage;
        return { position: row.seq, atMs: row.at.getTime(), key: client ?? workspace.id, message };
      });
      return { facts, next, isMore: rows.length === limit };
    },
  };

  async function printedAlerts(
    workspace: Workspace,
    changes: readonly Row[],
  ): Promise<ReadonlyMap<string, PrintedAlert>> {
    const ids = [...new Set(changes.map(({ data }) => data.id))];
    if (ids.length === 0) return new Map();
    const rows = await readAlerts(pool, workspace.id, { ids, nowMs: now() });
    const printed = await printAlerts({ pool, subjects }, workspace, [...rows.values()]);
    return new Map(printed.map((alert) => [alert.id, alert]));
  }
}

/** Entries of other kinds only move the cursor. */
async function readChanges(
  pool: Pool,
  workspaceId: string,
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<{ readonly rows: readonly Row[]; readonly next: number }> {
  const found = await pool.query<{ end: number; rows: readonly Row[] | null }>({
    name: 'stream_alerts',
    // One snapshot: what is behind the last entry is not skipped.
    text: `select coalesce((select max(seq) + 1 from console_live where workspace_id = $1), 0)::bigint as "end",
                  (select json_agg(r order by r.seq)
                     from (select seq, at, ref, data from console_live
                            where workspace_id = $1 and seq >= $2 and kind = 'alert' order by seq limit $3) r) as rows`,
    values: [workspaceId, from, limit],
  });
  const { end, rows: read } = found.rows[0]!;
  const rows = (read ?? []).map((row) => ({ ...row, at: new Date(row.at) }));
  return { rows, next: rows.length === limit ? rows.at(-1)!.seq + 1 : Math.max(from, end) };
}
