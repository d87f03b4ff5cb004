import type { RuleSummary } from '@ringfence/engine';
import type { Pool } from 'pg';
import { eventId } from '../../records/event-id.ts';
import { type ClientKeys, openDecision } from '../../records/event-opener.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { AlertRow } from './alert-rows.ts';

/** What an alert is about. */
export interface AlertStory {
  /** The id of its riskiest event. */
  readonly event: string;
  /** The summaries of its rules that acted on this event, the greatest score first, each in all its languages. */
  readonly summary: readonly (RuleSummary & { readonly reason: number })[];
}

/**
 * Stories of alerts, by their ids. An alert whose riskiest event was removed has none.
 *
 * @param keys of the clients of these alerts
 */
export async function readStories(
  pool: Pool,
  workspace: Workspace,
  { rows, keys }: { readonly rows: readonly AlertRow[]; readonly keys: ClientKeys },
): Promise<ReadonlyMap<string, AlertStory>> {
  if (rows.length === 0) return new Map();
  const found = await pool.query<{ offset: number; epoch: number; subject: string | null; detail: Buffer | null }>(
    `select "offset", epoch, subject, detail from event where workspace_id = $1 and "offset" = any($2)`,
    [workspace.id, rows.map(({ riskiest_offset: offset }) => offset)],
  );
  const events = new Map(found.rows.map((row) => [row.offset, row]));
  return new Map(
    rows.flatMap(({ id, reasons, riskiest_offset: offset }) => {
      const row = events.get(offset);
      if (row === undefined) return [];
      const fired = openDecision(workspace, row, keys)?.fired ?? [];
      const summary = fired
        .filter(({ reason }) => reasons.includes(reason))
        .toSorted((a, b) => (b.score ?? 0) - (a.score ?? 0))
        .flatMap(({ reason, summary: told = [] }) => told.map((one) => ({ reason, ...one })));
      return [[id, { event: eventId(row, workspace), summary }] as const];
    }),
  );
}
