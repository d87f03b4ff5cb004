import { Problem } from '@ringfence/contract';
import { clientPaths, liveListBounds, partsOfItem, type PolicyList, readItem } from '@ringfence/policy';
import type { ClientBase } from 'pg';
import { seal } from '../secrets/seal.ts';
import type { SubjectKeys } from '../subjects/subject-keys.ts';
import { agree } from '../workspaces/log-agreement.ts';
import { inTransaction, type WorkspaceDeps } from '../workspaces/workspace-deps.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import { type Author, storeDirectives } from './directives.ts';
import { itemContext, type NamedItem, storedText } from './list-change-record.ts';
import { itemIndex, itemsByRef } from './list-item-rows.ts';
import { findLiveList, type LiveList } from './live-lists.ts';

/** Items that one change may name. */
export const itemsPerChangeMax = 1_000;
/** A client that is erased while a change names it is made anew; more often than this means a bug. */
const triesMax = 5;

export interface ListDeps extends WorkspaceDeps {
  readonly subjects: Pick<SubjectKeys, 'bySubject' | 'ofClient' | 'refresh'>;
}

/** An item by what it is, or by its name once it was there. */
export type ItemNamed = { readonly parts: readonly string[] } | { readonly ref: string };

/** An item that is to be put on a list, or to stay there until another time. */
export type NewItem = ItemNamed & { readonly expiresAtMs?: number | undefined };

export interface WantedChange extends Author {
  readonly list: string;
  readonly put: readonly NewItem[];
  readonly remove: readonly ItemNamed[];
  readonly nowMs: number;
}

/**
 * Puts items on a live list and takes others off it: from the record in the log on.
 *
 * @throws Problem `thing.unknown`, `state.conflict`, `request.invalid` with every item that can't be one, `log.unavailable`
 */
export async function changeList(deps: ListDeps, workspace: Workspace, wanted: WantedChange): Promise<void> {
  const list = await findLiveList(deps.pool, workspace, wanted.list);
  const texts = await readTexts(deps, workspace, { list, wanted });
  for (let tries = 1; !(await store(deps, workspace, { list, texts, wanted })); tries++) {
    if (tries === triesMax) throw new Problem('state.conflict', 'A client that the items name is being erased.');
    // Its cached key belongs to a client that was erased meanwhile.
    await deps.subjects.refresh(workspace.id);
  }
  await agree(deps, workspace.id);
}

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
    const parts = 'ref' in item ? known.get(item.ref)?.parts : item.parts;
    const read = parts === undefined ? undefined : readItem(list, parts);
    if (read?.ok === true) return read.text;
    const expected = read?.expected ?? 'the ref of an item that is there, or was in the last 30 days';
    mistakes.push({ pointer, detail: `This can't be on the list ${list.name}.`, expected });
    return '';
  };
  const change = {
    put: put.map((item, at) => {
      const { expiresAtMs } = item;
      if (expiresAtMs !== undefined && expiresAtMs <= nowMs)
        mistakes.push({ pointer: `/put/${at}`, detail: 'Its end is over already.', expected: 'a time to come' });
      return { text: textOf(item, `/put/${at}`), expiresAtMs };
    }),
    remove: remove.map((item, at) => textOf(item, `/remove/${at}`)),
  };
  if (mistakes.length === 0) return change;
  throw new Problem('request.invalid', `Of the items ${mistakes.length} can't be on the list.`, { errors: mistakes });
}

/** @returns false when a client that an item names was erased meanwhile: nothing is stored then */
async function store(
  deps: ListDeps,
  workspace: Workspace,
  { list, texts, wanted }: OfChange & { readonly texts: ReadChange },
): Promise<boolean> {
  const named = new Map<string, NamedItem>();
  for (const text of [...texts.put.map((item) => item.text), ...texts.remove]) {
    const client = clientIn(list, text);
    named.set(text, {
      text,
      names: client === undefined ? undefined : await deps.subjects.ofClient(workspace, client),
    });
  }
  const told = {
    list: list.name,
    put: texts.put.map(({ text, expiresAtMs }) => ({
      item: storedText(workspace.id, named.get(text)!),
      ...(expiresAtMs === undefined ? {} : { untilMs: expiresAtMs }),
    })),
    remove: texts.remove.map((text) => storedText(workspace.id, named.get(text)!)),
  };
  return inTransaction(deps.pool, async (client) => {
    if (!(await areKnown(client, workspace.id, [...named.values()]))) return false;
    await client.query(`select pg_advisory_xact_lock(hashtextextended('ringfence.list.' || $1 || '.' || $2, 0))`, [
      workspace.id,
      list.name,
    ]);
    await storeItems(client, workspace, { texts, named, wanted });
    await refuseTooMany(client, workspace, { list, nowMs: wanted.nowMs });
    await storeDirectives(client, workspace, { directives: [{ kind: 'list', subject: undefined, told }], ...wanted });
    return true;
  });
}

/** The client that an item names: `client.id` and what means the same, alone or in a pair. */
function clientIn({ of }: PolicyList, text: string): string | undefined {
  const at = of.findIndex((path) => clientPaths.has(path));
  return at === -1 ? undefined : partsOfItem(text)[at];
}

/** Holds the clients until the commit: who erases one of them comes before, or finds what was stored. */
async function areKnown(client: ClientBase, workspaceId: string, items: readonly NamedItem[]): Promise<boolean> {
  const subjects = [...new Set(items.flatMap(({ names }) => names?.subject ?? []))];
  if (subjects.length === 0) return true;
  const found = await client.query(
    `select 1 from subject where workspace_id = $1 and id = any($2) order by id for key share`,
    [workspaceId, subjects],
  );
  return found.rowCount === subjects.length;
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
  await client.query(
    `update list_item set removed_at = $4, removed_by = $5, changed_at = $4
      where workspace_id = $1 and list = $2 and item_index = any($3) and removed_at is null`,
    [id, list, of.texts.remove.map(indexOf), new Date(nowMs), author],
  );
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
        seal(names?.key ?? secrets.data, Buffer.from(text), itemContext(id)),
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
    throw new Problem('state.conflict', `The list ${list.name} would have ${own} items, and its max is ${list.max}.`);
  }
  if (total > liveListBounds.itemsMax) {
    throw new Problem(
      'state.conflict',
      `All live lists would have ${total} items, of ${liveListBounds.itemsMax} at most.`,
    );
  }
}
