import { readHead } from './copy-log.ts';
import { type MoveDatabase, openMoveSession } from './move-session.ts';

/** What else a workspace has beside its log and its events, and the write-ahead log of the copy. */
const beside = 1.5;

/** About how many bytes of disk a workspace needs in another database. */
export async function estimateBytes(database: MoveDatabase, workspaceId: string): Promise<number> {
  const client = await openMoveSession(database);
  try {
    const head = await readHead(client, workspaceId);
    const { rows } = await client.query<{ bytes: number }>(
      `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes from pg_class c
        where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname ~ $1`,
      [`^(log|event)_${head?.number ?? 0}_\\d+`],
    );
    return rows[0]!.bytes * beside;
  } finally {
    await client.end();
  }
}
