import { Type } from 'typebox';
import {
  cancelBacktest,
  listBacktests,
  readBacktest,
  readExamples,
  removeBacktest,
} from '../../backtest/backtests/backtest-rows.ts';
import { openExamples } from '../../backtest/backtests/example-detail.ts';
import { authorOf } from '../server/request-author.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import {
  backtestSchema,
  backtestWithResultSchema,
  exampleSchema,
  examplesQuery,
  inBacktest,
  newBacktestBody,
  newBacktestExample,
  printBacktestRow,
  printBacktestWithResult,
} from './backtest-schema.ts';
import { inWorkspace, list } from '../server/members.ts';
import { readTimeRange } from '../server/time-range.ts';
import { viewExample, viewOf } from '../server/masking.ts';

const startRoute = route(
  {
    id: 'startBacktest',
    method: 'POST',
    path: '/workspaces/{workspace}/backtests',
    tag: 'backtests',
    needs: 'write',
    summary: 'Try a policy on history',
    description:
      'Every event of an imported history, or of the live log, is decided again by this policy, on the engine that decides live. Nothing is sent. It runs beside the service; ask for it until `state` is not `running`. One runs at a time: while another does, the problem says whose, since when and how far it is, and `Retry-After` when to ask again.',
    params: inWorkspace,
    body: newBacktestBody,
    example: newBacktestExample,
    answer: { status: 202, description: 'It runs.', schema: backtestSchema },
    problems: ['thing.unknown', 'policy.invalid', 'state.conflict'],
  },
  async (deps, { params, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { files, version, against, history, from, to } = body;
    const author = authorOf(exchange.caller, body.author);
    const range = readTimeRange({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
    const candidate = files === undefined ? { version: version! } : { files };
    const id = await deps.backtests.start(workspace, { candidate, against, history, author, ...range });
    exchange.note({ target: `backtest ${id}`, detail: { version, history, from, to } });
    return printBacktestRow(await readBacktest(deps.pool, workspace.id, id));
  },
);

const listRoute = route(
  {
    id: 'listBacktests',
    method: 'GET',
    path: '/workspaces/{workspace}/backtests',
    tag: 'backtests',
    needs: 'see',
    summary: 'List backtests',
    params: inWorkspace,
    answer: {
      status: 200,
      description: 'The last 100, the newest first, without their results.',
      schema: Type.Object({ items: list(backtestSchema) }),
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params }) => {
    const backtests = await listBacktests(deps.pool, (await findWorkspace(deps, params)).id);
    return { items: backtests.map(printBacktestRow) };
  },
);

const readRoute = route(
  {
    id: 'readBacktest',
    method: 'GET',
    path: '/workspaces/{workspace}/backtests/{backtest}',
    tag: 'backtests',
    needs: 'see',
    summary: 'How far a backtest is, and its result',
    params: inBacktest,
    answer: {
      status: 200,
      description: 'The backtest, with its result when it is done.',
      schema: backtestWithResultSchema,
    },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { backtest, ...params } }) =>
    printBacktestWithResult(await readBacktest(deps.pool, (await findWorkspace(deps, params)).id, backtest)),
);

const examplesRoute = route(
  {
    id: 'listBacktestExamples',
    method: 'GET',
    path: '/workspaces/{workspace}/backtests/{backtest}/examples',
    tag: 'backtests',
    needs: 'see',
    summary: 'Events of a backtest, and why their rules matched',
    description:
      'Five of each rule, twenty of each kind of change, picked evenly and always the same. Those of clients that were erased since are left out.',
    params: inBacktest,
    query: examplesQuery,
    answer: { status: 200, description: 'The examples.', schema: Type.Object({ items: list(exampleSchema) }) },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { backtest, ...params }, query }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const view = await viewOf(deps, exchange, { workspace, show: query.show, what: `backtest ${backtest}` });
    const { id } = await readBacktest(deps.pool, workspace.id, backtest);
    const stored = (await readExamples(deps.pool, id)).filter(
      (one) =>
        (query.list === undefined || one.list === query.list) &&
        (query.reason === undefined || one.reason === query.reason),
    );
    const examples = await openExamples(deps, workspace, stored);
    return { items: examples.map((example) => viewExample(view, example)) };
  },
);

const cancelRoute = route(
  {
    id: 'cancelBacktest',
    method: 'POST',
    path: '/workspaces/{workspace}/backtests/{backtest}/cancel',
    tag: 'backtests',
    needs: 'write',
    summary: 'End a backtest that runs',
    description:
      'Within some seconds, wherever it runs. It keeps no result. One that has come to its end meanwhile keeps its own.',
    params: inBacktest,
    answer: { status: 204, description: 'It is asked to end, or has ended.' },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { backtest, ...params } }) =>
    cancelBacktest(deps.pool, (await findWorkspace(deps, params)).id, backtest),
);

const removeRoute = route(
  {
    id: 'removeBacktest',
    method: 'DELETE',
    path: '/workspaces/{workspace}/backtests/{backtest}',
    tag: 'backtests',
    needs: 'write',
    summary: 'Forget a backtest that has ended, with its result',
    params: inBacktest,
    answer: { status: 204, description: 'It is forgotten.' },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { backtest, ...params } }) =>
    removeBacktest(deps.pool, (await findWorkspace(deps, params)).id, backtest),
);

/** Policies tried on what happened. */
export const backtestRoutes: readonly Route[] = [
  startRoute,
  listRoute,
  readRoute,
  examplesRoute,
  cancelRoute,
  removeRoute,
];
