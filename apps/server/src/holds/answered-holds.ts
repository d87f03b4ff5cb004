import type { AnsweredHold } from '@ringfence/contract';
import type { Pool } from 'pg';

/** The holds of these events, by offset: open, or how they ended. */
export async function answeredHolds(
  pool: Pick<Pool, 'query'>,
  workspaceId: string,
  offsets: readonly number[],
): Promise<ReadonlyMap<number, AnsweredHold>> {
  if (offsets.length === 0) return new Map();
  const { rows } = await pool.query<HoldRow>({
    name: 'answered_holds',
    text: `select m."offset", m.webhook_id, coalesce(m.resolution, 'open') as state, h.due_at, h.otherwise, m.ended_at,
                  h.resolved_by, m.resolved_with, h.kept_because is not null as kept
             from hold_member m join hold h on h.id = m.hold_id
            where m.workspace_id = $1 and m."offset" = any ($2::bigint[]) order by m.epoch`,
    values: [workspaceId, offsets],
  });
  return new Map(rows.map((row) => [row.offset, holdOf(row)]));
}

interface HoldRow {
  readonly offset: number;
  readonly webhook_id: string;
  readonly state: AnsweredHold['state'];
  readonly due_at: Date;
  readonly otherwise: AnsweredHold['otherwise'];
  readonly ended_at: Date | null;
  readonly resolved_by: NonNullable<AnsweredHold['resolvedBy']> | null;
  readonly resolved_with: string | null;
  readonly kept: boolean;
}

function holdOf(row: HoldRow): AnsweredHold {
  const { webhook_id: webhookId, state, otherwise, due_at: dueAt, ended_at: endedAt } = row;
  return {
    webhookId,
    state,
    deadline: dueAt.toISOString(),
    // A hold that was kept ends unresolved, whatever its terms said.
    otherwise: row.kept ? 'keep' : otherwise,
    ...(endedAt === null ? {} : { resolvedAt: endedAt.toISOString(), resolvedBy: row.resolved_by ?? 'bank' }),
    ...(row.resolved_with === null ? {} : { resolvedWith: row.resolved_with }),
  };
}
