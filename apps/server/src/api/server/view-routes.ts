import { Type } from 'typebox';
import { nameOf } from '../../access/caller.ts';
import {
  addView,
  changeView,
  listViews,
  removeView,
  type SavedView,
  type ViewedList,
  type ViewPlace,
} from '../../console/saved-views.ts';
import { exactly, text } from '../../platform/shapes/shape.ts';
import { nameShape } from '../../tenancy/workspaces/settings-shape.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { findWorkspace } from './find-workspace.ts';
import type { ManagementDeps } from './management-deps.ts';
import { documenting, instant, inWorkspace, list, nonPersonal, nonPersonalWord } from './members.ts';
import { type Route, route } from './operation.ts';
import type { RequestContext } from './request-context.ts';

/** A list whose filters people store with a name. */
interface Viewed {
  readonly list: ViewedList;
  /** Part of the ids of the operations, and the title of the answer. */
  readonly noun: 'AlertView' | 'EventView';
  readonly path: 'alert-views' | 'event-views';
  /** What the people of a workspace share: "Views of the queue". */
  readonly title: string;
  readonly filters: Type.TSchema;
  /** Whether only people store views: no token has a scope for it. */
  readonly isOfPeople?: true;
  readonly example: { readonly id: string; readonly name: string; readonly filters: object };
  /** @throws Problem if these filters are not to be stored */
  readonly check?: (deps: ManagementDeps, workspace: Workspace, filters: object) => Promise<void>;
}

/** The operations on the views of a list. */
export function viewRoutes(viewed: Viewed): readonly Route[] {
  const { noun, title, filters, example } = viewed;
  const schema = Type.Object(
    {
      id: nonPersonalWord('Identifies the view.', example.id),
      name: nonPersonalWord('Its name.', example.name),
      filters: nonPersonal(documenting<object>(filters)),
      changedBy: nonPersonalWord('Who stored it last.', 'mara@bank.example'),
      changedAt: instant('When.'),
    },
    { title: noun, description: `${title}, which the people of a workspace share.` },
  );
  return [listRoute(viewed, schema), addRoute(viewed, schema), changeRoute(viewed, schema), removeRoute(viewed)];
}

function listRoute({ list: viewedList, noun, path, title }: Viewed, schema: Type.TSchema): Route {
  return route(
    {
      id: `list${noun}s`,
      method: 'GET',
      path: `/workspaces/{workspace}/${path}`,
      tag: viewedList,
      needs: 'see',
      summary: `${title} that its people share`,
      params: inWorkspace,
      answer: {
        status: 200,
        description: 'All of them, by name.',
        schema: Type.Object({ items: list(documenting<PrintedView>(schema)) }, { title: `${noun}s` }),
      },
      problems: ['thing.unknown'],
    },
    async (deps, { params }) => {
      const workspace = await findWorkspace(deps, params);
      return { items: (await listViews(deps.pool, placeOf(viewedList, workspace))).map(printView) };
    },
  );
}

function addRoute(
  { list: viewedList, noun, path, title, filters, example, check, ...rest }: Viewed,
  schema: Type.TSchema,
): Route {
  return route(
    {
      id: `add${noun}`,
      method: 'POST',
      path: `/workspaces/{workspace}/${path}`,
      tag: viewedList,
      needs: 'work',
      ...scopeOfChanges(rest),
      summary: `${title}: store one`,
      params: inWorkspace,
      body: exactly({ name: nameShape, filters }),
      example: { name: example.name, filters: example.filters },
      answer: { status: 201, description: 'The view.', schema: documenting<PrintedView>(schema) },
      problems: ['thing.unknown', 'state.conflict'],
    },
    async (deps, { params, body: { name, filters: given } }, exchange) => {
      const workspace = await findWorkspace(deps, params);
      await check?.(deps, workspace, given as object);
      const added = { name, filters: given as object, author: authorOf(deps, exchange) };
      const view = printView(await addView(deps.pool, placeOf(viewedList, workspace), added));
      exchange.note({ target: view.id, detail: { after: view } });
      return view;
    },
  );
}

function changeRoute(
  { list: viewedList, noun, path, filters, example, check, ...rest }: Viewed,
  schema: Type.TSchema,
): Route {
  return route(
    {
      id: `change${noun}`,
      method: 'PATCH',
      path: `/workspaces/{workspace}/${path}/{view}`,
      tag: viewedList,
      needs: 'work',
      ...scopeOfChanges(rest),
      summary: 'Rename a view, or replace its filters',
      params: inView(example),
      body: exactly({ name: Type.Optional(nameShape), filters: Type.Optional(filters) }),
      example: { name: 'Another name' },
      answer: { status: 200, description: 'The view as it is now.', schema: documenting<PrintedView>(schema) },
      problems: ['thing.unknown', 'state.conflict'],
    },
    async (deps, { params: { view: id, ...params }, body }, exchange) => {
      const workspace = await findWorkspace(deps, params);
      const { name } = body;
      const given = body.filters as object | undefined;
      if (given !== undefined) await check?.(deps, workspace, given);
      const change = { id, name, filters: given, author: authorOf(deps, exchange) };
      const { before, after } = await changeView(deps.pool, placeOf(viewedList, workspace), change);
      exchange.note({ target: id, detail: { before: printView(before), after: printView(after) } });
      return printView(after);
    },
  );
}

function removeRoute({ list: viewedList, noun, path, example, ...rest }: Viewed): Route {
  return route(
    {
      id: `remove${noun}`,
      method: 'DELETE',
      path: `/workspaces/{workspace}/${path}/{view}`,
      tag: viewedList,
      needs: 'work',
      ...scopeOfChanges(rest),
      summary: 'Delete a view',
      params: inView(example),
      answer: { status: 204, description: 'It is deleted. What it lists is not.' },
      problems: ['thing.unknown'],
    },
    async (deps, { params: { view: id, ...params } }, exchange) => {
      const workspace = await findWorkspace(deps, params);
      const before = printView(await removeView(deps.pool, placeOf(viewedList, workspace), id));
      exchange.note({ target: id, detail: { before } });
    },
  );
}

const inView = ({ id }: Viewed['example']) =>
  exactly({
    ...inWorkspace.properties,
    view: text({ maxLength: 64, description: `The id of the view: ${id}`, expected: 'the id of a view' }),
  });

function placeOf(viewedList: ViewedList, { id }: Workspace): ViewPlace {
  return { list: viewedList, workspaceId: id };
}

function scopeOfChanges({ isOfPeople }: Pick<Viewed, 'isOfPeople'>): { readonly scope?: 'none' } {
  return isOfPeople === true ? { scope: 'none' } : {};
}

interface PrintedView {
  readonly id: string;
  readonly name: string;
  readonly filters: object;
  readonly changedBy: string;
  readonly changedAt: string;
}

function printView({ id, name, filters, changedBy, changedAtMs }: SavedView): PrintedView {
  return { id, name, filters, changedBy, changedAt: new Date(changedAtMs).toISOString() };
}

function authorOf(
  { now }: ManagementDeps,
  { caller }: RequestContext,
): { readonly name: string; readonly nowMs: number } {
  return { name: nameOf(caller), nowMs: now() };
}
