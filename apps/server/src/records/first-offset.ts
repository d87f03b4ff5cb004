import { type Expression, type Kysely, sql } from 'kysely';
import type { Tables } from '../platform/database/tables.ts';

/** Evaluates `offsetAt` for an instant in a separate query. */
export async function firstOffset(database: Kysely<Tables>, workspaceId: string, at: Date): Promise<number> {
  const found = sql<{ offset: number }>`select ${offsetAt(workspaceId, sql`${at}`)} as "offset"`;
  return (await found.execute(database)).rows[0]!.offset;
}

/**
 * The offset of the first event stored at or after an instant; beyond all offsets when there is none. `logged_at` never
 * decreases with the offset, so a binary search over the primary key finds it: some twenty look-ups. Not every offset
 * has an event; the next one is compared then.
 */
export function offsetAt(workspaceId: string, at: Expression<unknown>): Expression<number> {
  return sql<number>`coalesce((
    with recursive search (low, high) as (
      select min("offset"), max("offset") + 1 from event where workspace_id = ${workspaceId}
      union all
      select case when middle.logged_at < ${at} then middle."offset" + 1 else low end,
             case when middle.logged_at < ${at} then high else (low + high) / 2 end
        from search cross join lateral (
          select "offset", logged_at from event where workspace_id = ${workspaceId} and "offset" >= (low + high) / 2
           order by "offset" limit 1) middle
       where low < high)
    select later."offset" from event later
     where later.workspace_id = ${workspaceId} and later."offset" >= (select low from search where low >= high)
     order by later."offset" limit 1), ${sql.lit(Number.MAX_SAFE_INTEGER)}::bigint)`;
}
