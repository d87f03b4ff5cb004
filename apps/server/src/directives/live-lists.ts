import { Problem } from '@ringfence/contract';
import type { ListChange } from '@ringfence/engine';
import { liveListBounds, partsOfItem, type PolicyList, readItem } from '@ringfence/policy';
import type { ClientBase, Pool } from 'pg';
import { blindIndex } from '../secrets/blind-index.ts';
import { open, seal } from '../secrets/seal.ts';
import { agree } from '../workspaces/log-agreement.ts';
import { checkPolicy, readPolicyFiles } from '../workspaces/policy-store.ts';
import { inTransaction, type WorkspaceDeps } from '../workspaces/workspace-deps.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import { type Author, storeDirectives } from './directives.ts';

/** Items that one change may name. */
export const itemsPerChangeMax = 1_000;

/** A live list, with how many items it has beside those of the policy's files. */
export interface ListSummary extends PolicyList {
  readonly items: number;
}

export interface StoredItem {
  /** One part, or two of a pair. */
  readonly parts: readonly string[];
  readonly author: string;
  readonly comment: string;
  readonly addedAtMs: number;
  readonly expiresAtMs: number | undefined;
}

/** An item that is to be put on a list, or to stay there until another time. */
export interface NewItem {
  readonly parts: readonly string[];
  readonly expiresAtMs?: number | undefined;
}

/** All lists of the policy that decides, by name. */
export async function listLists(pool: Pool, workspace: Workspace, nowMs: number): Promise<readonly ListSummary[]> {
  const counted = await pool.query<{ list: string; items: number }>(
    `select list, count(*)::integer as items from list_item
      where workspace_id = $1 and (expires_at is null or expires_at > $2) group by list`,
    [workspace.id, new Date(nowMs)],
  );
  const items = new Map(counted.rows.map((row) => [row.list, row.items]));
  const lists = await declaredLists(pool, workspace);
  return lists.map((list) => ({ ...list, items: items.get(list.name) ?? 0 }));
}

async function declaredLists(pool: Pool, { id, policyVersion }: Workspace): Promise<readonly PolicyList[]> {
  if (policyVersion === undefined) return [];
  return checkPolicy(await readPolicyFiles(pool, id, policyVersion)).policy.lists;
}

/** A list that can be changed. @throws Problem `thing.unknown`, `owner.config` */
async function liveList(
  pool: Pool,
  workspace: Workspace,
  name: string,
): Promise<PolicyList & { readonly max: number }> {
  const list = (await declaredLists(pool, workspace)).find((one) => one.name === name);
  if (list === undefined) throw new Problem('thing.unknown', `The policy of ${workspace.name} has no list ${name}.`);
  if (list.live === undefined) {
    throw new Problem('state.conflict', `What ${name} holds stands in the policy's files: it does not say live: true.`);
  }
  return { ...list, max: list.live.max };
}

/** Items of a list that are not over, in the order in which they came. @throws Problem `thing.unknown` */
export async function listItems(
  pool: Pool,
  workspace: Workspace,
  wanted: { readonly list: string; readonly nowMs: number },
): Promise<readonly StoredItem[]> {
  await liveList(pool, workspace, wanted.list);
  const found = await pool.query<{
    sealed: Buffer;
    author: string;
    comment: string;
    added_at: Date;
    expires_at: Date | null;
  }>(
    `select sealed, author, comment, added_at, expires_at from list_item
      where workspace_id = $1 and list = $2 and (expires_at is null or expires_at > $3)
      order by added_at, item_index limit ${liveListBounds.itemsMax}`,
    [workspace.id, wanted.list, new Date(wanted.nowMs)],
  );
  return found.rows.map((row) => ({
    parts: partsOfItem(open(workspace.secrets.data, row.sealed, contextOf(workspace)).toString()),
    author: row.author,
    comment: row.comment,
    addedAtMs: row.added_at.getTime(),
    expiresAtMs: row.expires_at?.getTime(),
  }));
}

function contextOf({ id }: Workspace): string {
  return `list-item:${id}`;
}

export interface WantedChange extends Author {
  readonly list: string;
  readonly put: readonly NewItem[];
  readonly remove: readonly (readonly string[])[];
  readonly nowMs: number;
}

/**
 * Puts items on a live list and takes others off it: from the record in the log on.
 *
 * @throws Problem `thing.unknown`, `state.conflict`, `request.invalid` with every item that can't be one, `log.unavailable`
 */
export async function changeList(deps: WorkspaceDeps, workspace: Workspace, wanted: WantedChange): Promise<void> {
  const list = await liveList(deps.pool, workspace, wanted.list);
  const change = readChange(list, wanted);
  await inTransaction(deps.pool, async (client) => {
    await client.query(`select pg_advisory_xact_lock(hashtextextended('ringfence.list.' || $1 || '.' || $2, 0))`, [
      workspace.id,
      list.name,
    ]);
    await storeItems(client, workspace, { change, wanted });
    await refuseTooMany(client, workspace, { list, nowMs: wanted.nowMs });
    const directive = { kind: 'list', subject: undefined, told: change } as const;
    await storeDirectives(client, workspace, { directives: [directive], ...wanted });
  });
  await agree(deps, workspace.id);
}

function readChange(list: PolicyList, { put, remove, nowMs }: WantedChange): ListChange {
  const mistakes: { readonly pointer: string; readonly detail: string; readonly expected: string }[] = [];
  const textOf = (parts: readonly string[], pointer: string): string => {
    const read = readItem(list, parts);
    if (read.ok) return read.text;
    mistakes.push({ pointer, detail: `This can't be on the list ${list.name}.`, expected: read.expected });
    return '';
  };
  const change: ListChange = {
    list: list.name,
    put: put.map(({ parts, expiresAtMs }, at) => {
      const item = textOf(parts, `/put/${at}`);
      if (expiresAtMs !== undefined && expiresAtMs <= nowMs)
        mistakes.push({ pointer: `/put/${at}`, detail: 'Its end is over already.', expected: 'a time to come' });
      return expiresAtMs === undefined ? { item } : { item, untilMs: expiresAtMs };
    }),
    remove: remove.map((parts, at) => textOf(parts, `/remove/${at}`)),
  };
  if (mistakes.length === 0) return change;
  throw new Problem('request.invalid', `Of the items ${mistakes.length} can't be on the list.`, { errors: mistakes });
}

async function storeItems(
  client: ClientBase,
  workspace: Workspace,
  { change, wanted }: { readonly change: ListChange; readonly wanted: WantedChange },
): Promise<void> {
  const { id, secrets } = workspace;
  const indexOf = (item: string): Buffer => blindIndex(secrets.index, item, 'list-item');
  await client.query(
    `delete from list_item where workspace_id = $1 and list = $2 and (item_index = any($3) or expires_at <= $4)`,
    [id, change.list, change.remove.map(indexOf), new Date(wanted.nowMs)],
  );
  for (const { item, untilMs } of change.put) {
    await client.query(
      `insert into list_item (workspace_id, list, item_index, sealed, author, comment, added_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (workspace_id, list, item_index) do update
         set author = excluded.author, comment = excluded.comment, expires_at = excluded.expires_at`,
      [
        id,
        change.list,
        indexOf(item),
        seal(secrets.data, Buffer.from(item), contextOf(workspace)),
        wanted.author,
        wanted.comment,
        new Date(wanted.nowMs),
        untilMs === undefined ? null : new Date(untilMs),
      ],
    );
  }
}

async function refuseTooMany(
  client: ClientBase,
  { id }: Workspace,
  { list, nowMs }: { readonly list: { readonly name: string; readonly max: number }; readonly nowMs: number },
): Promise<void> {
  const found = await client.query<{ own: number; total: number }>(
    `select count(*) filter (where list = $2)::integer as own, count(*)::integer as total
       from list_item where workspace_id = $1 and (expires_at is null or expires_at > $3)`,
    [id, list.name, new Date(nowMs)],
  );
  const { own = 0, total = 0 } = found.rows[0] ?? {};
  if (own > list.max) {
    throw new Problem('state.conflict', `The list ${list.name} would have ${own} items, and its max is ${list.max}.`);
  }
  if (total > liveListBounds.itemsMax) {
    throw new Problem(
      'state.conflict',
      `All live lists would have ${total} items, of ${liveListBounds.itemsMax} at most.`,
    );
  }
}
