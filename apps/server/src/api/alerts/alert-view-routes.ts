import { Type } from 'typebox';
import {
  addAlertView,
  type AlertView,
  changeAlertView,
  listAlertViews,
  removeAlertView,
} from '../../console/alerts/alert-views.ts';
import { exactly, text } from '../../platform/shapes/shape.ts';
import { nameShape } from '../../tenancy/workspaces/settings-shape.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { documenting, instant, inWorkspace, list, nonPersonal, nonPersonalWord } from '../server/members.ts';
import { type Route, route } from '../server/operation.ts';
import { analystOf } from './alert-routes.ts';
import { alertFilterMembers } from './alert-schema.ts';

const filtersShape = exactly(alertFilterMembers, {
  description: 'As the parameters of the list of alerts. A view names no client.',
});
type Filters = Type.Static<typeof filtersShape>;

const viewSchema = Type.Object(
  {
    id: nonPersonalWord('Identifies the view.', 'avw_abc234def567'),
    name: nonPersonalWord('Its name.', 'Large transfers'),
    filters: nonPersonal(documenting<Filters>(filtersShape)),
    changedBy: nonPersonalWord('Who stored it last.', 'mara@bank.example'),
    changedAt: instant('When.'),
  },
  { title: 'AlertView', description: 'Filters of the queue that the people of a workspace share.' },
);

function printView({ id, name, filters, changedBy, changedAtMs }: AlertView): Type.Static<typeof viewSchema> {
  return { id, name, filters: filters as Filters, changedBy, changedAt: new Date(changedAtMs).toISOString() };
}

const inView = exactly({
  ...inWorkspace.properties,
  view: text({ maxLength: 64, description: 'The id of the view: avw_…', expected: 'the id of a view' }),
});

const exampleFilters = { state: 'open', sort: 'money', currency: 'MXN', amountMin: 50_000 };

const listRoute = route(
  {
    id: 'listAlertViews',
    method: 'GET',
    path: '/workspaces/{workspace}/alert-views',
    tag: 'alerts',
    needs: 'see',
    summary: 'Views of the queue that its people share',
    params: inWorkspace,
    answer: {
      status: 200,
      description: 'All of them, by name.',
      schema: Type.Object({ items: list(viewSchema) }, { title: 'AlertViews' }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const { id } = await findWorkspace(deps, params);
    return { items: (await listAlertViews(deps.pool, id)).map(printView) };
  },
);

const addRoute = route(
  {
    id: 'addAlertView',
    method: 'POST',
    path: '/workspaces/{workspace}/alert-views',
    tag: 'alerts',
    needs: 'work',
    summary: 'Store a view of the queue',
    params: inWorkspace,
    body: exactly({ name: nameShape, filters: filtersShape }),
    example: { name: 'Large transfers', filters: exampleFilters },
    answer: { status: 201, description: 'The view.', schema: viewSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params, body }, exchange) => {
    const { id } = await findWorkspace(deps, params);
    const view = printView(await addAlertView(deps.pool, id, { ...body, author: analystOf(deps, exchange) }));
    exchange.note({ target: view.id, detail: { after: view } });
    return view;
  },
);

const changeRoute = route(
  {
    id: 'changeAlertView',
    method: 'PATCH',
    path: '/workspaces/{workspace}/alert-views/{view}',
    tag: 'alerts',
    needs: 'work',
    summary: 'Rename a view, or replace its filters',
    params: inView,
    body: exactly({ name: Type.Optional(nameShape), filters: Type.Optional(filtersShape) }),
    example: { name: 'Very large transfers' },
    answer: { status: 200, description: 'The view as it is now.', schema: viewSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { view: id, ...params }, body: { name, filters } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const author = analystOf(deps, exchange);
    const { before, after } = await changeAlertView(deps.pool, workspace.id, { id, name, filters, author });
    exchange.note({ target: id, detail: { before: printView(before), after: printView(after) } });
    return printView(after);
  },
);

const removeRoute = route(
  {
    id: 'removeAlertView',
    method: 'DELETE',
    path: '/workspaces/{workspace}/alert-views/{view}',
    tag: 'alerts',
    needs: 'work',
    summary: 'Delete a view',
    params: inView,
    answer: { status: 204, description: 'It is deleted. Alerts are not.' },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { view: id, ...params } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const before = printView(await removeAlertView(deps.pool, workspace.id, id));
    exchange.note({ target: id, detail: { before } });
  },
);

/** Views of the queue. */
export const alertViewRoutes: readonly Route[] = [listRoute, addRoute, changeRoute, removeRoute];
