import { Type } from 'typebox';
import { listBacktests, readBacktest, readExamples, removeBacktest } from '../../backtest/backtests/backtest-rows.ts';
import { openExamples } from '../../backtest/backtests/example-detail.ts';
import { authorOf } from '../server/request-author.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { policyWorkOf } from '../policies/policy-work-of.ts';
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
import { varyRequest } from './vary-schema.ts';
import { inWorkspace, list } from '../server/members.ts';
import { readTimeRange } from '../server/time-range.ts';
import { decideMasking } from '../server/masking.ts';

const startRoute = route(
  {
    id: 'startBacktest',
    method: 'POST',
    path: '/workspaces/{workspace}/backtests',
    tag: 'backtests',
    needs: 'write',
    summary: 'Backtest a policy on history',
    description:
      'Every event of an imported history, or of the live log, is decided again with this policy by the live engine. Nothing is sent. It runs in a background thread; poll it until `state` is not `running`. One backtest runs at a time, over all workspaces.',
    params: inWorkspace,
    body: newBacktestBody,
    example: newBacktestExample,
    answer: { status: 202, description: 'It is running.', schema: backtestSchema },
    problems: ['thing.unknown', 'policy.invalid', 'state.conflict'],
  },
  async (deps, { params, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { files, version, against, history, from, to, asLive, vary } = body;
    const author = authorOf(exchange.caller, body.author);
    const range = readTimeRange({ ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) });
    const candidate = files === undefined ? { version: version! } : { files };
    const varied = vary === undefined ? {} : { vary: varyRequest(vary) };
    const work = policyWorkOf(deps, exchange);
    const id = await deps.backtests.start(workspace, {
      candidate,
      against,
      history,
      asLive,
      ...varied,
      author,
      work,
      ...range,
    });
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
      description: 'The last 100, newest first, without their results.',
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
    summary: 'Progress and result of a backtest',
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
    summary: 'Example events of a backtest, and why their rules matched',
    description:
      'Five per rule and twenty per kind of change, sampled evenly and deterministically. Events of clients erased since are left out.',
    params: inBacktest,
    query: examplesQuery,
    answer: { status: 200, description: 'The examples.', schema: Type.Object({ items: list(exampleSchema) }) },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { backtest, ...params }, query }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show: query.show, what: `backtest ${backtest}` });
    const { id } = await readBacktest(deps.pool, workspace.id, backtest);
    const stored = (await readExamples(deps.pool, id)).filter(
      (one) =>
        (query.list === undefined || one.list === query.list) &&
        (query.reason === undefined || one.reason === query.reason),
    );
    return { items: await openExamples(deps, { workspace, backtest: id }, stored) };
  },
);

const cancelRoute = route(
  {
    id: 'cancelBacktest',
    method: 'POST',
    path: '/workspaces/{workspace}/backtests/{backtest}/cancel',
    tag: 'backtests',
    needs: 'write',
    summary: 'Cancel a running backtest',
    description:
      'It ends without a result, in whichever process it runs, and the next one may start. A backtest that has finished meanwhile keeps its result.',
    params: inBacktest,
    answer: { status: 204, description: 'It is cancelled, or had ended.' },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { backtest, ...params } }) =>
    deps.backtests.cancel(await findWorkspace(deps, params), backtest),
);

const removeRoute = route(
  {
    id: 'removeBacktest',
    method: 'DELETE',
    path: '/workspaces/{workspace}/backtests/{backtest}',
    tag: 'backtests',
    needs: 'write',
    summary: 'Delete a backtest that has ended, with its result',
    params: inBacktest,
    answer: { status: 204, description: 'It is deleted.' },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { backtest, ...params } }) =>
    removeBacktest(deps.pool, (await findWorkspace(deps, params)).id, backtest),
);

/** Backtests: policies tried on past events. */
export const backtestRoutes: readonly Route[] = [
  startRoute,
  listRoute,
  readRoute,
  examplesRoute,
  cancelRoute,
  removeRoute,
];
