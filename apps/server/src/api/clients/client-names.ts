import type { Pool } from 'pg';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { StoredEvents } from '../events/stored-events.ts';

interface ClientNameDeps {
  readonly pool: Pool;
  readonly events: Pick<StoredEvents, 'listAt'>;
}

/**
 * Resolves random client ids to names, using the newest event of each client. Clients who were erased, or whose events
 * are no longer kept, are missing from the answer.
 */
export async function clientNames(
  { pool, events }: ClientNameDeps,
  workspace: Workspace,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const newest = await pool.query<{ offset: number }>(
    `select e."offset" from unnest($2::text[]) as wanted(subject)
      cross join lateral (select "offset" from event
                           where workspace_id = $1 and event.subject = wanted.subject
                           order by "offset" desc limit 1) e`,
    [workspace.id, [...new Set(subjects)]],
  );
  const offsets = newest.rows.map(({ offset }) => offset);
  const listed = await events.listAt(workspace, offsets);
  return new Map(
    listed.flatMap(({ summary: { clientRef, client } }) =>
      clientRef === undefined || client === undefined ? [] : [[clientRef, client]],
    ),
  );
}
