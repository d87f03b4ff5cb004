import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { randomId } from '../../platform/secrets/random-id.ts';
import { inTransaction } from '../../platform/database/transactions.ts';

/** Filters of the queue with a name, which the people of a workspace share. They name no client. */
export interface AlertView<Filters = object> {
  readonly id: string;
  /** Unique in its workspace, without regard to case. */
  readonly name: string;
  readonly filters: Filters;
  readonly changedBy: string;
  readonly changedAtMs: number;
}

/** More than a team reads in one list. */
export const viewsMax = 50;

interface Author {
  readonly name: string;
  readonly nowMs: number;
}

/** By name. */
export async function listAlertViews(database: Pool | ClientBase, workspaceId: string): Promise<readonly AlertView[]> {
  const found = await database.query<ViewRow>(
    `select * from alert_view where workspace_id = $1 order by lower(name), id`,
    [workspaceId],
  );
  return found.rows.map(viewOf);
}

/** @throws Problem `state.conflict` if the name is taken, or there are `viewsMax` */
export function addAlertView(
  pool: Pool,
  workspaceId: string,
  { name, filters, author }: { readonly name: string; readonly filters: object; readonly author: Author },
): Promise<AlertView> {
  return inTransaction(pool, async (client) => {
    await lockViews(client, workspaceId);
    const present = await listAlertViews(client, workspaceId);
    if (present.length >= viewsMax)
      throw new Problem('state.conflict', `There are ${viewsMax} views: delete one first.`);
    refuseName(present, name);
    const made = await client.query<ViewRow>(
      `insert into alert_view (workspace_id, id, name, filters, changed_by, changed_at)
       values ($1, $2, $3, $4, $5, $6) returning *`,
      [workspaceId, `avw_${randomId(12)}`, name, filters, author.name, new Date(author.nowMs)],
    );
    return viewOf(made.rows[0]!);
  });
}

/** @returns the view before and after. @throws Problem `thing.unknown`, and `state.conflict` if the name is taken */
export function changeAlertView(
  pool: Pool,
  workspaceId: string,
  of: {
    readonly id: string;
    readonly name: string | undefined;
    readonly filters: object | undefined;
    readonly author: Author;
  },
): Promise<{ readonly before: AlertView; readonly after: AlertView }> {
  const { id, author } = of;
  return inTransaction(pool, async (client) => {
    await lockViews(client, workspaceId);
    const present = await listAlertViews(client, workspaceId);
    const before = present.find((view) => view.id === id);
    if (before === undefined) throw unknownView(id);
    const { name = before.name, filters = before.filters } = of;
    refuseName(
      present.filter((view) => view !== before),
      name,
    );
    const changed = await client.query<ViewRow>(
      `update alert_view set name = $3, filters = $4, changed_by = $5, changed_at = $6
        where workspace_id = $1 and id = $2 returning *`,
      [workspaceId, id, name, filters, author.name, new Date(author.nowMs)],
    );
    return { before, after: viewOf(changed.rows[0]!) };
  });
}

/** @throws Problem `thing.unknown` */
export async function removeAlertView(pool: Pool, workspaceId: string, id: string): Promise<AlertView> {
  const removed = await pool.query<ViewRow>(`delete from alert_view where workspace_id = $1 and id = $2 returning *`, [
    workspaceId,
    id,
  ]);
  const row = removed.rows[0];
  if (row === undefined) throw unknownView(id);
  return viewOf(row);
}

function unknownView(id: string): Problem {
  return new Problem('thing.unknown', `There is no view ${id} in this workspace.`);
}

/** One change of a workspace's views at a time, so that their number and names are certain. */
async function lockViews(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('ringfence.alert-views.' || $1, 0))`, [
    workspaceId,
  ]);
}

function refuseName(others: readonly AlertView[], name: string): void {
  if (others.some((other) => other.name.toLowerCase() === name.toLowerCase())) {
    throw new Problem('state.conflict', `There is already a view with the name "${name}".`);
  }
}

interface ViewRow {
  readonly id: string;
  readonly name: string;
  readonly filters: object;
  readonly changed_by: string;
  readonly changed_at: Date;
}

function viewOf({ id, name, filters, changed_by: changedBy, changed_at: at }: ViewRow): AlertView {
  return { id, name, filters, changedBy, changedAtMs: at.getTime() };
}
