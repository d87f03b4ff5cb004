import { Problem } from '@ringfence/contract';
import { Type } from 'typebox';
import { nameOf } from '../../access/accounts/caller.ts';
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
import { type View, viewOf } from '../server/masking.ts';
import { viewParts } from '../server/mask-list-items.ts';

const listRoute = route(
  {
    id: 'listLists',
    method: 'GET',
    path: '/workspaces/{workspace}/lists',
    tag: 'lists',
    needs: 'see',
    summary: 'The lists of the policy that decides',
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
    summary: 'What a live list holds, or held lately',
    description: 'Beside the items that the policy’s files give it.',
    params: inList,
    query: itemsQuery,
    answer: { status: 200, description: 'Newest first.', schema: pageSchema(listItemSchema) },
    problems: ['thing.unknown', 'state.conflict', 'policy.invalid', 'right.missing'],
  },
  async (deps, { params: { list: name, ...params }, query }, exchange) => {
    const { limit, cursor, show, state = 'present', text } = query;
    const workspace = await findWorkspace(deps, params);
    const view = await viewOf(deps, exchange, { workspace, show, what: `list:${name}` });
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
    return { ...page, items: page.items.map((item) => printItem(item, viewParts(view, found, item.parts))) };
  },
);

/** Whoever sees masks finds whole values only: by their parts a value could be guessed sign by sign. */
function matching(view: View, text: string): (item: StoredItem) => boolean {
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
    summary: 'Put items on a live list, and take others off it',
    description:
      'All of it, or nothing. It acts from its record in the log on, so a replay sees the list as it was. An item that is there already gets the new end and comment; one that is to go and was not there is told as `absent`.',
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
  throw new Problem('request.invalid', 'An item is given by its parts or by its ref.', {
    errors: [{ pointer: `/put/${at}`, detail: 'It has both, or neither.', expected: 'parts or ref' }],
  });
}

/** Lists of the policy, and what the live ones hold. */
export const listRoutes: readonly Route[] = [listRoute, itemsRoute, changeRoute];
