import { Type } from 'typebox';
import { nameOf } from '../../accounts/caller.ts';
import { changeList, listItems, listLists } from '../../directives/live-lists.ts';
import { findWorkspace } from '../find-workspace.ts';
import { type Route, route } from '../operation.ts';
import {
  acceptedSchema,
  inList,
  listChangeBody,
  listItemSchema,
  listSummarySchema,
  printItem,
  printList,
} from '../schemas/list-schema.ts';
import { inWorkspace, list } from '../schemas/members.ts';
import { readInstant } from '../time-range.ts';

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
    return { items: (await listLists(deps.pool, workspace, deps.now())).map(printList) };
  },
);

const itemsRoute = route(
  {
    id: 'listListItems',
    method: 'GET',
    path: '/workspaces/{workspace}/lists/{list}/items',
    tag: 'lists',
    needs: 'show',
    summary: 'What a live list holds',
    description: 'Beside the items that the policy’s files give it. What is over is left out.',
    params: inList,
    answer: {
      status: 200,
      description: 'In the order in which they came.',
      schema: Type.Object({ items: list(listItemSchema) }),
    },
    problems: ['thing.unknown', 'state.conflict', 'policy.invalid'],
  },
  async (deps, { params: { list: name, ...params } }) => {
    const workspace = await findWorkspace(deps, params);
    const items = await listItems(deps.pool, workspace, { list: name, nowMs: deps.now() });
    return { items: items.map(printItem) };
  },
);

const changeRoute = route(
  {
    id: 'changeList',
    method: 'POST',
    path: '/workspaces/{workspace}/lists/{list}/items',
    tag: 'lists',
    needs: 'work',
    summary: 'Put items on a live list, and take others off it',
    description:
      'All of it, or nothing. It acts from its record in the log on, so a replay sees the list as it was. An item that is there already gets the new end and comment.',
    params: inList,
    body: listChangeBody,
    example: { put: [{ parts: ['BANK-A/123456'], expiresAt: '2027-02-01T00:00:00Z' }], comment: 'reported by a bank' },
    answer: { status: 202, description: 'It is in the log.', schema: acceptedSchema },
    problems: ['thing.unknown', 'state.conflict', 'policy.invalid', 'log.unavailable'],
  },
  async (deps, { params: { list: name, ...params }, body: { put = [], remove = [], comment } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await changeList(deps, workspace, {
      list: name,
      put: put.map(({ parts, expiresAt }, at) => ({
        parts,
        expiresAtMs: expiresAt === undefined ? undefined : readInstant(expiresAt, `/put/${at}/expiresAt`),
      })),
      remove,
      author: nameOf(exchange.caller),
      comment,
      nowMs: deps.now(),
    });
    exchange.note({ target: name, detail: { put: put.length, remove: remove.length, comment } });
    return { status: 'accepted' } as const;
  },
);

/** Lists of the policy, and what the live ones hold. */
export const listRoutes: readonly Route[] = [listRoute, itemsRoute, changeRoute];
