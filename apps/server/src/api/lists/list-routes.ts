import { Problem } from '@ringfence/contract';
import { Type } from 'typebox';
import { nameOf } from '../../access/caller.ts';
import { changeList, type NewItem } from '../../policies/directives/change-list.ts';
import { readItems, type StoredItem } from '../../policies/directives/list-item-rows.ts';
import { findLiveList, listLists } from '../../policies/directives/live-lists.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { pageOf, readCursor } from '../server/page.ts';
import {
  acceptedSchema,
  inList,
  itemsQuery,
  listChangeBody,
  listItemSchema,
  listSummarySchema,
  printItem,
  printList,
} from './list-schema.ts';
import { inWorkspace, list, pageSchema } from '../server/members.ts';
import { readInstant } from '../server/time-range.ts';
import { type Masking, decideMasking } from '../server/masking.ts';

const listRoute = route(
  {
    id: 'listLists',
    method: 'GET',
    path: '/workspaces/{workspace}/lists',
    tag: 'lists',
    needs: 'see',
    summary: 'The lists of the active policy',
    params: inWorkspace,
    answer: { status: 200, description: 'By name.', schema: Type.Object({ items: list(listSummarySchema) }) },
    problems: ['thing.unknown', 'policy.invalid'],
  },
  async (deps, { params }) => {
    const workspace = await findWorkspace(deps, params);
    return { items: (await listLists(deps.pool, workspace, deps.logNow())).map(printList) };
  },
);

const itemsRoute = route(
  {
    id: 'listListItems',
    method: 'GET',
    path: '/workspaces/{workspace}/lists/{list}/items',
    tag: 'lists',
    needs: 'see',
    summary: 'The items of a live list, current or ended recently',
    description: 'In addition to the items in the policy’s files.',
    params: inList,
    query: itemsQuery,
    answer: { status: 200, description: 'Newest first.', schema: pageSchema(listItemSchema) },
    problems: ['thing.unknown', 'state.conflict', 'policy.invalid', 'right.missing'],
  },
  async (deps, { params: { list: name, ...params }, query }, exchange) => {
    const { limit, cursor, show, state = 'present', text } = query;
    const workspace = await findWorkspace(deps, params);
    const view = await decideMasking(deps, exchange, { workspace, show, what: `list:${name}` });
    const found = await findLiveList(deps.pool, workspace, name);
    const items = await readItems(deps, workspace, {
      list: name,
      nowMs: deps.logNow(),
      state,
      limit: limit + 1,
      before: readCursor('item', cursor),
      ...(text === undefined ? {} : { matches: matching(view, text) }),
    });
    const page = pageOf('item', items, { limit, keyOf: ({ seq }) => seq });
    return { ...page, items: page.items.map((item) => printItem(item, found)) };
  },
);

/**
 * A caller who sees masked values can search for whole values only: by parts, a value could be guessed character by
 * character.
 */
function matching(view: Masking, text: string): (item: StoredItem) => boolean {
  const wanted = text.toLowerCase();
  const has = (value: string): boolean => value.toLowerCase().includes(wanted);
  return ({ parts, author, comment }) =>
    has(author) || has(comment) || parts.some((part) => (view.isMasked ? part.toLowerCase() === wanted : has(part)));
}

const changeRoute = route(
  {
    id: 'changeList',
    method: 'POST',
    path: '/workspaces/{workspace}/lists/{list}/items',
    tag: 'lists',
    needs: 'work',
    summary: 'Add items to a live list, and remove others',
    description:
      'All changes, or none. They take effect with their record in the log, so a replay sees the list as it was. An item that is already on the list gets the new end and comment; an item to remove that was not on the list is reported as `absent`.',
    params: inList,
    body: listChangeBody,
    example: { put: [{ parts: ['BANK-A/123456'], expiresAt: '2027-02-01T00:00:00Z' }], comment: 'reported by a bank' },
    answer: { status: 202, description: 'It is in the log.', schema: acceptedSchema },
    problems: ['thing.unknown', 'state.conflict', 'policy.invalid', 'log.unavailable'],
  },
  async (deps, { params: { list: name, ...params }, body }, exchange) => {
    const { put = [], remove = [], removeRefs = [], comment } = body;
    const workspace = await findWorkspace(deps, params);
    const { absent } = await changeList(deps, workspace, {
      list: name,
      put: put.map(newItem),
      remove: [...remove.map((parts) => ({ parts })), ...removeRefs.map((ref) => ({ ref }))],
      author: nameOf(exchange.caller),
      comment,
      nowMs: deps.logNow(),
    });
    exchange.note({
      target: name,
      detail: { put: put.length, remove: remove.length + removeRefs.length - absent.length, comment },
    });
    const pointerOf = (at: number): string =>
      at < remove.length ? `/remove/${at}` : `/removeRefs/${at - remove.length}`;
    return { status: 'accepted' as const, absent: absent.map(pointerOf) };
  },
);

interface PrintedItem {
  readonly parts?: readonly string[];
  readonly ref?: string;
  readonly expiresAt?: string;
}

function newItem({ parts, ref, expiresAt }: PrintedItem, at: number): NewItem {
  const expiresAtMs = expiresAt === undefined ? undefined : readInstant(expiresAt, `/put/${at}/expiresAt`);
  if (parts !== undefined && ref === undefined) return { parts, expiresAtMs };
  if (ref !== undefined && parts === undefined) return { ref, expiresAtMs };
  throw new Problem('request.invalid', 'An item is given either by its parts or by its ref.', {
    errors: [{ pointer: `/put/${at}`, detail: 'Send exactly one of them.', expected: 'parts or ref' }],
  });
}

/** Lists of the policy, and the items of live lists. */
export const listRoutes: readonly Route[] = [listRoute, itemsRoute, changeRoute];
