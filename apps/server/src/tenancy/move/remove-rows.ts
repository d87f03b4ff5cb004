import type { Client } from 'pg';
import { dropRanges } from './copy-log.ts';
import { transaction } from './move-session.ts';
import { name, rowsOf, type TableShape } from './table-shape.ts';

/** Rows deleted in one transaction. */
const batchRows = 5_000;

/**
 * Drops the rows of a workspace that is not served from this database: ranges whole, the others in batches. Its
 * partition stays, closed, so that a process that was stopped for long cannot append to it.
 */
export async function removeRows(
  client: Client,
  of: { readonly shapes: readonly TableShape[]; readonly workspaceId: string; readonly number: number },
): Promise<void> {
  await dropRanges(client, of.number);
  for (const shape of of.shapes.toReversed()) {
    while ((await removeSome(client, shape)) === batchRows);
  }
  await transaction(
    client,
    async () => {
      await client.query(`delete from log_idempotency where number = $1`, [of.number]);
      await client.query(`delete from move_copied where workspace_id = $1`, [of.workspaceId]);
      await client.query(
        `update log_partition set closed = true, start_offset = 0, end_offset = 0, log_time_ms = 0 where partition = $1`,
        [of.workspaceId],
      );
    },
    { isCopy: true },
  );
  // Its processes learn of it.
  await client.query(`delete from workspace where id = $1`, [of.workspaceId]);
}

async function removeSome(client: Client, shape: TableShape): Promise<number> {
  const { name: table, where: _, ...rest } = shape.table;
  const all = { ...shape, table: { ...rest, name: table } };
  if (table === 'event') return 0; // dropped with its ranges
  const removed = await transaction(
    client,
    () =>
      client.query(
        `delete from ${name(table)} where ctid = any (array (select t.ctid ${rowsOf(all)} limit ${batchRows}))`,
      ),
    { isCopy: true },
  );
  return removed.rowCount ?? 0;
}
