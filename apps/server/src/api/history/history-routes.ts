import { Type } from 'typebox';
import { listSegments, removeSegment } from '../../history/segments.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { historySchema, inHistory, printHistory } from './history-schema.ts';
import { inWorkspace, list } from '../server/members.ts';

const listRoute = route(
  {
    id: 'listHistories',
    method: 'GET',
    path: '/workspaces/{workspace}/history',
    tag: 'backtests',
    needs: 'see',
    summary: 'List the imported histories of a workspace',
    description: '`ringfence import` imports them.',
    params: inWorkspace,
    answer: {
      status: 200,
      description: 'All of them, newest first.',
      schema: Type.Object({ items: list(historySchema) }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const segments = await listSegments(deps.pool, (await findWorkspace(deps, params)).id);
    return { items: segments.map(printHistory) };
  },
);

const removeRoute = route(
  {
    id: 'removeHistory',
    method: 'DELETE',
    path: '/workspaces/{workspace}/history/{history}',
    tag: 'backtests',
    needs: 'administer',
    summary: 'Remove an imported history permanently',
    description: 'Results of backtests on it are kept. A backtest that is running on it fails.',
    params: inHistory,
    answer: { status: 204, description: 'It is removed.' },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { history, ...params } }) =>
    removeSegment(deps.pool, (await findWorkspace(deps, params)).id, history),
);

/** Imported histories. */
export const historyRoutes: readonly Route[] = [listRoute, removeRoute];
