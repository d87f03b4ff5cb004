import type { ClientBase, Pool } from 'pg';

/** Notes what was changed outside of the service. Call behind a fence, with what makes it invisible. */
export async function noteChanges(
  on: ClientBase,
  workspaceId: string,
  { offset, whats }: { readonly offset: number; readonly whats: readonly string[] },
): Promise<void> {
  if (whats.length === 0) return;
  await on.query(
    `insert into noticed_change (workspace_id, "offset", what) select $1, $2, w from unnest($3::text[]) w
     on conflict do nothing`,
    [workspaceId, offset, whats],
  );
}

export interface NoticedChange {
  readonly what: string;
  readonly offset: number;
  readonly at: Date;
}

export async function readChanges(on: ClientBase | Pool, workspaceId: string): Promise<readonly NoticedChange[]> {
  const found = await on.query<NoticedChange>(
    `select what, "offset", noticed_at as at from noticed_change where workspace_id = $1 order by noticed_at, what`,
    [workspaceId],
  );
  return found.rows;
}
