import { errorsMax, Problem } from '@ringfence/contract';
import { clientPaths, liveListBounds, neverMatched, partsOfItem, type PolicyList, readItem } from '@ringfence/policy';
import type { ClientBase } from 'pg';
import { seal } from '../../platform/secrets/seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import { syncSettings } from '../../tenancy/workspaces/settings-sync.ts';
import { inTransaction } from '../../platform/database/transactions.ts';
import type { WorkspaceDeps } from '../../tenancy/workspaces/workspace-deps.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type Author, storeDirectives } from './directives.ts';
import { itemPlace, type NamedItem, storedText } from './list-change-record.ts';
import { itemIndex, itemsByRef } from './list-item-rows.ts';
import { findLiveList, type LiveList } from './live-lists.ts';

/** The most items in one record of the log, and in one request. */
export const itemsPerChangeMax = 1_000;
/** Retries when a client that the items name is erased meanwhile (it is created again); more means a bug. */
const triesMax = 5;

export interface ListDeps extends WorkspaceDeps {
  readonly subjects: Pick<SubjectKeys, 'bySubject' | 'ofClient' | 'refresh'>;
}

/** An item given by its parts, or by the ref of a stored item. */
export type ItemNamed = { readonly parts: readonly string[] } | { readonly ref: string };

/** An item to add to a list, or whose end is to change. */
export type NewItem = ItemNamed & { readonly expiresAtMs?: number | undefined };

export interface WantedChange extends Author {
  readonly list: string;
  readonly put: readonly NewItem[];
  readonly remove: readonly ItemNamed[];
  readonly nowMs: number;
}

/** The items to remove that were not on the list, as indexes of `remove`. */
export interface ChangedList {
  readonly absent: readonly number[];
}

/**
 * Adds items to a live list and removes others, all or none. The change takes effect with its records in the log.
 *
 * @throws Problem `thing.unknown`, `state.conflict`, `request.invalid` with every invalid item, `log.unavailable`
 */
export async function changeList(deps: ListDeps, workspace: Workspace, wanted: WantedChange): Promise<ChangedList> {
  const list = await findLiveList(deps.pool, workspace, wanted.list);
  const texts = await readTexts(deps, workspace, { list, wanted });
  let changed = await store(deps, workspace, { list, texts, wanted });
  for (let tries = 1; changed === undefined; tries++) {
    if (tries === triesMax) throw new Problem('state.conflict', 'A client that the items name is being erased.');
    // A cached key belongs to a client that was erased meanwhile.
    await deps.subjects.refresh(workspace.id);
    changed = await store(deps, workspace, { list, texts, wanted });
  }
  await syncSettings(deps, workspace.id);
  return changed;
}

/** A change with the canonical texts of its items. */
interface ReadChange {
  readonly put: readonly { readonly text: string; readonly expiresAtMs: number | undefined }[];
  readonly remove: readonly string[];
}

interface OfChange {
  readonly list: LiveList;
  readonly wanted: WantedChange;
}

async function readTexts(deps: ListDeps, workspace: Workspace, { list, wanted }: OfChange): Promise<ReadChange> {
  const { put, remove, nowMs } = wanted;
  const refs = [...put, ...remove].flatMap((item) => ('ref' in item ? [item.ref] : []));
  const known = await itemsByRef(deps, workspace, { list: list.name, refs, nowMs });
  const mistakes: { readonly pointer: string; readonly detail: string; readonly expected: string }[] = [];
  const textOf = (item: ItemNamed, pointer: string): string => {
    if (mistakes.length >= errorsMax) return '';
    const parts = 'ref' in item ? known.get(item.ref)?.parts : item.parts;
    const read = parts === undefined ? undefined : readItem(list, parts);
    if (read?.ok === true) return read.text;
    const expected = read?.expected ?? 'the ref of an item that is on the list, or was in the last 30 days';
    mistakes.push({ pointer, detail: `This is not a valid item of the list ${list.name}.`, expected });
    return '';
  };
  const change = {
    put: put.map((item, at) => {
      const { expiresAtMs } = item;
      if (expiresAtMs !== undefined && expiresAtMs <= nowMs)
        mistakes.push({ pointer: `/put/${at}`, detail: 'Its end is in the past.', expected: 'a time in the future' });
      const text = textOf(item, `/put/${at}`);
      const instead = 'ref' in item || text === '' ? undefined : neverMatched(list, partsOfItem(text));
      if (instead !== undefined)
        mistakes.push({ pointer: `/put/${at}`, detail: 'No event can ever match this item.', expected: instead });
      return { text, expiresAtMs };
    }),
    remove: remove.map((item, at) => textOf(item, `/remove/${at}`)),
  };
  if (mistakes.length === 0) return change;
  const count = mistakes.length < errorsMax ? mistakes.length : `${errorsMax} or more`;
  throw new Problem('request.invalid', `Invalid items: ${count}.`, { errors: mistakes });
}

/** Returns `undefined`, and stores nothing, if a client that an item names was erased meanwhile. */
async function store(
  deps: ListDeps,
  workspace: Workspace,
  { list, texts, wanted }: OfChange & { readonly texts: ReadChange },
): Promise<ChangedList | undefined> {
  const named = new Map<string, NamedItem>();
  for (const text of [...texts.put.map((item) => item.text), ...texts.remove]) {
    const client = clientIn(list, text);
    named.set(text, {
      text,
      names: client === undefined ? undefined : await deps.subjects.ofClient(workspace, client),
    });
  }
  const directives = toldInParts(texts).map((part) => ({
    kind: 'list' as const,
    subject: undefined,
    told: {
      list: list.name,
      put: part.put.map(({ text, expiresAtMs }) => ({
        item: storedText(itemPlace(workspace.id, list.name), named.get(text)!),
        ...(expiresAtMs === undefined ? {} : { untilMs: expiresAtMs }),
      })),
      remove: part.remove.map((text) => storedText(itemPlace(workspace.id, list.name), named.get(text)!)),
    },
  }));
  return inTransaction(deps.pool, async (client) => {
    if (!(await areKnown(client, workspace.id, [...named.values()]))) return undefined;
    await client.query(`select pg_advisory_xact_lock(hashtextextended('ringfence.list.' || $1 || '.' || $2, 0))`, [
      workspace.id,
      list.name,
    ]);
    const gone = await removeItems(client, workspace, { going: texts.remove, wanted });
    await storeItems(client, workspace, { texts, named, wanted });
    await refuseTooMany(client, workspace, { list, nowMs: wanted.nowMs });
    await storeDirectives(client, workspace, { directives, ...wanted });
    return { absent: texts.remove.flatMap((text, at) => (gone.has(text) ? [] : at)) };
  });
}

/** Records of the log of bounded size, stored together. */
function toldInParts({ put, remove }: ReadChange): readonly ReadChange[] {
  const count = Math.max(1, Math.ceil(Math.max(put.length, remove.length) / itemsPerChangeMax));
  const cut = <Item>(items: readonly Item[], at: number): readonly Item[] =>
    items.slice(at * itemsPerChangeMax, (at + 1) * itemsPerChangeMax);
  return Array.from({ length: count }, (_, at) => ({ put: cut(put, at), remove: cut(remove, at) }));
}

/** The client that an item names by `client.id` or an equivalent path, alone or in a pair. */
function clientIn({ of }: PolicyList, text: string): string | undefined {
  const at = of.findIndex((path) => clientPaths.has(path));
  return at === -1 ? undefined : partsOfItem(text)[at];
}

/** Locks the clients until the commit: an erasure either comes before, or finds the stored items. */
async function areKnown(client: ClientBase, workspaceId: string, items: readonly NamedItem[]): Promise<boolean> {
  const subjects = [...new Set(items.flatMap(({ names }) => names?.subject ?? []))];
  if (subjects.length === 0) return true;
  const found = await client.query(
    `select 1 from subject where workspace_id = $1 and id = any($2) order by id for key share`,
    [workspaceId, subjects],
  );
  return found.rowCount === subjects.length;
}

/** @returns the texts that were on the list */
async function removeItems(
  client: ClientBase,
  workspace: Workspace,
  { going, wanted }: { readonly going: readonly string[]; readonly wanted: WantedChange },
): Promise<ReadonlySet<string>> {
  const { list, author, nowMs } = wanted;
  const indexes = going.map((text) => itemIndex(workspace, text));
  const { rows } = await client.query<{ place: number }>(
    `update list_item i set removed_at = $4, removed_by = $5, changed_at = $4
       from unnest($3::bytea[]) with ordinality as going (item_index, place)
      where i.workspace_id = $1 and i.list = $2 and i.item_index = going.item_index and i.removed_at is null
        and (i.expires_at is null or i.expires_at > $4)
     returning going.place::integer`,
    [workspace.id, list, indexes, new Date(nowMs), author],
  );
  return new Set(rows.map(({ place }) => going[place - 1]!));
}

async function storeItems(
  client: ClientBase,
  workspace: Workspace,
  of: {
    readonly texts: ReadChange;
    readonly named: ReadonlyMap<string, NamedItem>;
    readonly wanted: WantedChange;
  },
): Promise<void> {
  const { id, secrets } = workspace;
  const { list, author, comment, nowMs } = of.wanted;
  const indexOf = (item: string): Buffer => itemIndex(workspace, item);
  for (const { text, expiresAtMs } of of.texts.put) {
    const { names } = of.named.get(text)!;
    await client.query(
      `insert into list_item (workspace_id, list, item_index, sealed, subject, author, comment, added_at, changed_at, expires_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)
       on conflict (workspace_id, list, item_index) do update
         set sealed = excluded.sealed, subject = excluded.subject, author = excluded.author, comment = excluded.comment,
             added_at = case when list_item.removed_at is null and (list_item.expires_at is null or list_item.expires_at > $8)
                             then list_item.added_at else excluded.added_at end,
             changed_at = excluded.changed_at, expires_at = excluded.expires_at, removed_at = null, removed_by = null`,
      [
        id,
        list,
        indexOf(text),
        seal(names?.key ?? secrets.data, Buffer.from(text), itemPlace(id, list, indexOf(text))),
        names?.subject ?? null,
        author,
        comment,
        new Date(nowMs),
        expiresAtMs === undefined ? null : new Date(expiresAtMs),
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
       from list_item where workspace_id = $1 and removed_at is null and (expires_at is null or expires_at > $3)`,
    [id, list.name, new Date(nowMs)],
  );
  const { own = 0, total = 0 } = found.rows[0] ?? {};
  if (own > list.max) {
    throw new Problem('state.conflict', `The list ${list.name} would have ${own} items; its maximum is ${list.max}.`);
  }
  if (total > liveListBounds.itemsMax) {
    throw new Problem(
      'state.conflict',
      `All live lists together would have ${total} items; the maximum is ${liveListBounds.itemsMax}.`,
    );
  }
}
