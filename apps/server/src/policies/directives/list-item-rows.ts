import { dayMs } from '@ringfence/contract';
import { partsOfItem } from '@ringfence/policy';
import type { Pool } from 'pg';
import { blindIndex } from '../../platform/secrets/blind-index.ts';
import { open } from '../../platform/secrets/seal.ts';
import { keyAmong, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { itemPlace } from './list-change-record.ts';

/** How long expired and removed items stay visible and can be added again. */
const endedKeptMs = 30 * dayMs;
/** Rows per query during a search: each is decrypted to be compared. */
const scanRows = 2_000;

/** On the list, expired, or removed by a person. */
export type ItemState = 'present' | 'expired' | 'removed';

export interface StoredItem {
  /** Identifies the item without revealing it. */
  readonly ref: string;
  readonly seq: number;
  /** One part, or the two parts of a pair. */
  readonly parts: readonly string[];
  readonly state: ItemState;
  readonly author: string;
  readonly comment: string;
  readonly addedAtMs: number;
  readonly expiresAtMs: number | undefined;
  readonly removedBy: string | undefined;
  readonly removedAtMs: number | undefined;
}

export interface ItemDeps {
  readonly pool: Pool;
  readonly subjects: Pick<SubjectKeys, 'bySubject'>;
}

interface ItemRow {
  readonly id: number;
  readonly item_index: Buffer;
  readonly sealed: Buffer;
  readonly subject: string | null;
  readonly author: string;
  readonly comment: string;
  readonly added_at: Date;
  readonly expires_at: Date | null;
  readonly removed_at: Date | null;
  readonly removed_by: string | null;
}

export interface WantedItems {
  readonly list: string;
  readonly nowMs: number;
  /** Items on the list, or items that ended in the last 30 days. */
  readonly state: 'present' | 'ended';
  readonly limit: number;
  /** Cursor: only items with a lower `seq`. */
  readonly before?: number | undefined;
  readonly matches?: ((item: StoredItem) => boolean) | undefined;
}

/** Items of a list, newest first, without those that name an erased client. */
export async function readItems(
  deps: ItemDeps,
  workspace: Workspace,
  wanted: WantedItems,
): Promise<readonly StoredItem[]> {
  const found: StoredItem[] = [];
  let before = wanted.before;
  while (found.length < wanted.limit) {
    const rowsMax = wanted.matches === undefined ? wanted.limit - found.length : scanRows;
    const rows = await readRows(deps.pool, workspace.id, { ...wanted, before, rowsMax });
    const items = await openRows(deps, workspace, { list: wanted.list, rows, nowMs: wanted.nowMs });
    found.push(...items.filter((item) => wanted.matches?.(item) !== false));
    before = rows.at(-1)?.id;
    if (rows.length < rowsMax) break;
  }
  return found.slice(0, wanted.limit);
}

async function readRows(
  pool: Pool,
  workspaceId: string,
  wanted: WantedItems & { readonly rowsMax: number },
): Promise<readonly ItemRow[]> {
  const isPresent = `(removed_at is null and (expires_at is null or expires_at > $3))`;
  const { list, nowMs, state, before, rowsMax } = wanted;
  const found = await pool.query<ItemRow>(
    `select id, item_index, sealed, subject, author, comment, added_at, expires_at, removed_at, removed_by from list_item
      where workspace_id = $1 and list = $2 and ${state === 'present' ? '' : 'not '}${isPresent}
        and ($4::bigint is null or id < $4)
      order by id desc limit $5`,
    [workspaceId, list, new Date(nowMs), before ?? null, rowsMax],
  );
  return found.rows;
}

async function openRows(
  { subjects }: ItemDeps,
  workspace: Workspace,
  { list, rows, nowMs }: { readonly list: string; readonly rows: readonly ItemRow[]; readonly nowMs: number },
): Promise<readonly StoredItem[]> {
  const keys = await subjects.bySubject(workspace, subjectsIn(rows));
  return rows.flatMap((row) => {
    const key = keyAmong(keys, workspace, row.subject);
    if (key === undefined) return [];
    const parts = partsOfItem(open(key, row.sealed, itemPlace(workspace.id, list, row.item_index)).toString());
    const state = row.removed_at !== null ? 'removed' : isOver(row, nowMs) ? 'expired' : 'present';
    return [
      {
        ref: row.item_index.toString('base64url'),
        seq: row.id,
        parts,
        state,
        author: row.author,
        comment: row.comment,
        addedAtMs: row.added_at.getTime(),
        expiresAtMs: row.expires_at?.getTime(),
        removedBy: row.removed_by ?? undefined,
        removedAtMs: row.removed_at?.getTime(),
      },
    ];
  });
}

function isOver({ expires_at: expiresAt }: ItemRow, nowMs: number): boolean {
  return expiresAt !== null && expiresAt.getTime() <= nowMs;
}

/** The blind index of an item's text; in base64url it is the item's `ref`. */
export function itemIndex({ secrets }: Workspace, text: string): Buffer {
  return blindIndex(secrets.index, text, 'list-item');
}

/** Items by their refs, including ended ones. */
export async function itemsByRef(
  deps: ItemDeps,
  workspace: Workspace,
  wanted: { readonly list: string; readonly refs: readonly string[]; readonly nowMs: number },
): Promise<ReadonlyMap<string, StoredItem>> {
  if (wanted.refs.length === 0) return new Map();
  const found = await deps.pool.query<ItemRow>(
    `select * from list_item where workspace_id = $1 and list = $2 and item_index = any($3)`,
    [workspace.id, wanted.list, wanted.refs.map((ref) => Buffer.from(ref, 'base64url'))],
  );
  const items = await openRows(deps, workspace, { list: wanted.list, rows: found.rows, nowMs: wanted.nowMs });
  return new Map(items.map((item) => [item.ref, item]));
}

/** The number of items of a list, and its last change. */
export interface ItemCounts {
  readonly items: number;
  readonly changedAtMs: number;
  readonly changedBy: string;
}

export async function countItems(
  pool: Pool,
  workspaceId: string,
  nowMs: number,
): Promise<ReadonlyMap<string, ItemCounts>> {
  const found = await pool.query<{ list: string; items: number; changed_at: Date; changed_by: string }>(
    `select list, max(changed_at) as changed_at,
            count(*) filter (where removed_at is null and (expires_at is null or expires_at > $2))::integer as items,
            (array_agg(coalesce(removed_by, author) order by changed_at desc))[1] as changed_by
       from list_item where workspace_id = $1 group by list`,
    [workspaceId, new Date(nowMs)],
  );
  return new Map(
    found.rows.map((row) => [
      row.list,
      { items: row.items, changedAtMs: row.changed_at.getTime(), changedBy: row.changed_by },
    ]),
  );
}

/** Deletes items that ended more than 30 days ago. */
export async function removeEndedItems(pool: Pool, nowMs: number): Promise<void> {
  await pool.query(`delete from list_item where removed_at < $1 or expires_at < $1`, [new Date(nowMs - endedKeptMs)]);
}
