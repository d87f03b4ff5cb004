import { type Expression, type Kysely, sql } from 'kysely';
import type { Tables } from '../platform/database/tables.ts';

/** Evaluates `offsetAt` for an instant in a separate query. */
export async function firstOffset(database: Kysely<Tables>, workspaceId: string, at: Date): Promise<number> {
  const found = sql<{ offset: number }>`select ${offsetAt(workspaceId, sql`${at}`)} as "offset"`;
  return (await found.execute(database)).rows[0]!.offset;
}

/**
 * The offset of the first event stored at or after an instant; beyond all offsets when there is none. `logged_at` never
 * decreases with the offset.
 */
export function offsetAt(workspaceId: string, at: Expression<unknown>): Expression<number> {
  return sql<number>`coalesce((
    select later."offset" from event later
     where later.workspace_id = ${workspaceId} and later.logged_at >= ${at}
     order by later.logged_at, later."offset" limit 1), ${sql.lit(Number.MAX_SAFE_INTEGER)}::bigint)`;
}
