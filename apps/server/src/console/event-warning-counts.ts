import { dayMs, hourMs } from '@ringfence/contract';
import type { Pool } from 'pg';
import { eventId } from '../records/event-id.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { type WarningCode, warningCodes } from './event-index/event-warnings.ts';

/** A warning as shown: how often it occurred, and the last event. */
export interface CountedWarning {
  readonly code: WarningCode;
  readonly lastHour: number;
  readonly lastDay: number;
  readonly lastAt: string;
  /** The last event with it. */
  readonly event: string;
}

/** Warnings of the last 24 hours, in display order. */
export async function readWarnings(
  pool: Pool,
  workspace: Workspace,
  nowMs: number,
): Promise<readonly CountedWarning[]> {
  const found = await pool.query<{
    readonly code: WarningCode;
    readonly at: Date;
    readonly offset: number;
    readonly epoch: number;
    readonly last_hour: number;
    readonly last_day: number;
  }>({
    name: 'console_warnings',
    text: `select w.code, w.at, w."offset", w.epoch, coalesce(c.last_hour, 0)::bigint as last_hour, c.last_day::bigint as last_day
             from console_warning w
             join (select key, sum(count) filter (where at >= $3) as last_hour, sum(count) as last_day from console_count
                    where workspace_id = $1 and span = 60 and name = 'warning' and at >= $2 group by key) c on c.key = w.code
            where w.workspace_id = $1`,
    values: [workspace.id, new Date(nowMs - dayMs), new Date(nowMs - hourMs)],
  });
  return found.rows
    .map(({ code, at, last_hour: lastHour, last_day: lastDay, ...row }) => ({
      code,
      lastHour,
      lastDay,
      lastAt: at.toISOString(),
      event: eventId(row, workspace),
    }))
    .toSorted((a, b) => warningCodes.indexOf(a.code) - warningCodes.indexOf(b.code));
}
