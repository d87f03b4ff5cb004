import { Problem } from '@ringfence/contract';
import type { ClientBase, Pool } from 'pg';
import { randomId } from '../platform/secrets/random-id.ts';
import { inTransaction } from '../platform/database/transactions.ts';

/** Filters of a list with a name, which the people of a workspace share. They name no client. */
export interface SavedView<Filters = object> {
  readonly id: string;
  /** Unique in its workspace, without regard to case. */
  readonly name: string;
  readonly filters: Filters;
  readonly changedBy: string;
  readonly changedAtMs: number;
}

/** More than a team reads in one list. */
export const viewsMax = 50;

/** Where views of each list are stored, and how their ids begin. */
const lists = {
  alerts: { table: 'alert_view', prefix: 'avw_' },
  events: { table: 'event_view', prefix: 'evw_' },
} as const;
export type ViewedList = keyof typeof lists;

/** The views of one list in one workspace. */
export interface ViewPlace {
  readonly list: ViewedList;
  readonly workspaceId: string;
}

interface Author {
  readonly name: string;
  readonly nowMs: number;
}

/** By name. */
export async function listViews(
  database: Pool | ClientBase,
  { list, workspaceId }: ViewPlace,
): Promise<readonly SavedView[]> {
  const found = await database.query<ViewRow>(
    `select * from ${lists[list].table} where workspace_id = $1 order by lower(name), id`,
    [workspaceId],
  );
  return found.rows.map(viewOf);
}

/** @throws Problem `state.conflict` if the name is taken, or there are `viewsMax` */
export function addView(
  pool: Pool,
  place: ViewPlace,
  { name, filters, author }: { readonly name: string; readonly filters: object; readonly author: Author },
): Promise<SavedView> {
  return inTransaction(pool, async (client) => {
    await lockViews(client, place);
    const present = await listViews(client, place);
    if (present.length >= viewsMax)
      throw new Problem('state.conflict', `There are ${viewsMax} views: delete one first.`);
    refuseName(present, name);
    const made = await client.query<ViewRow>(
      `insert into ${lists[place.list].table} (workspace_id, id, name, filters, changed_by, changed_at)
       values ($1, $2, $3, $4, $5, $6) returning *`,
      [
        place.workspaceId,
        `${lists[place.list].prefix}${randomId(12)}`,
        name,
        filters,
        author.name,
        new Date(author.nowMs),
      ],
    );
    return viewOf(made.rows[0]!);
  });
}

/** @returns the view before and after. @throws Problem `thing.unknown`, and `state.conflict` if the name is taken */
export function changeView(
  pool: Pool,
  place: ViewPlace,
  of: {
    readonly id: string;
    readonly name: string | undefined;
    readonly filters: object | undefined;
    readonly author: Author;
  },
): Promise<{ readonly before: SavedView; readonly after: SavedView }> {
  const { id, author } = of;
  return inTransaction(pool, async (client) => {
    await lockViews(client, place);
    const present = await listViews(client, place);
    const before = present.find((view) => view.id === id);
    if (before === undefined) throw unknownView(id);
    const { name = before.name, filters = before.filters } = of;
    refuseName(
      present.filter((view) => view !== before),
      name,
    );
    const changed = await client.query<ViewRow>(
      `update ${lists[place.list].table} set name = $3, filters = $4, changed_by = $5, changed_at = $6
        where workspace_id = $1 and id = $2 returning *`,
      [place.workspaceId, id, name, filters, author.name, new Date(author.nowMs)],
    );
    return { before, after: viewOf(changed.rows[0]!) };
  });
}

/** @throws Problem `thing.unknown` */
export async function removeView(pool: Pool, { list, workspaceId }: ViewPlace, id: string): Promise<SavedView> {
  const removed = await pool.query<ViewRow>(
    `delete from ${lists[list].table} where workspace_id = $1 and id = $2 returning *`,
    [workspaceId, id],
  );
  const row = removed.rows[0];
  if (row === undefined) throw unknownView(id);
  return viewOf(row);
}

function unknownView(id: string): Problem {
  return new Problem('thing.unknown', `There is no view ${id} in this workspace.`);
}

/** One change of a workspace's views at a time, so that their number and names are certain. */
async function lockViews(client: ClientBase, { list, workspaceId }: ViewPlace): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended('ringfence.views.' || $1, 0))`, [
    `${list}.${workspaceId}`,
  ]);
}

function refuseName(others: readonly SavedView[], name: string): void {
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

function viewOf({ id, name, filters, changed_by: changedBy, changed_at: at }: ViewRow): SavedView {
  return { id, name, filters, changedBy, changedAtMs: at.getTime() };
}
