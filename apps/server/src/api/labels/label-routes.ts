import { Problem } from '@ringfence/contract';
import { nameOf } from '../../access/caller.ts';
import { exactly } from '../../platform/shapes/shape.ts';
import { listLabels } from '../../console/labels/stored-labels.ts';
import { appendLabels, type ToldLabel } from '../../console/labels/append-labels.ts';
import { addressLabel, type WrittenLabel } from '../../console/labels/parse-labels.ts';
import { parseEventId } from '../../records/event-id.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { pageOf, readCursor } from '../server/page.ts';
import { inEvent } from '../events/event-schema.ts';
import { labelOutcomesSchema, labelSchema, printLabel, toldLabelsSchema } from './label-schema.ts';
import { inWorkspace, pageQuery, pageSchema } from '../server/members.ts';
import { showMember } from '../server/show-member.ts';
import { decideMasking } from '../server/masking.ts';

const tellRoute = route(
  {
    id: 'tellLabels',
    method: 'POST',
    path: '/workspaces/{workspace}/labels',
    tag: 'labels',
    needs: 'work',
    summary: 'Report what events turned out to be',
    description:
      'Each label becomes a record of the log and takes effect from there: in fraud features and in backtests. Repeating a label changes nothing; a different label replaces it. Labels whose event cannot be found are reported in the answer; the others are accepted.',
    params: inWorkspace,
    body: toldLabelsSchema,
    example: { labels: [{ event: 'evt_1795256130_42', label: 'fraud', note: 'chargeback 4711' }] },
    answer: { status: 202, description: 'The outcome per label.', schema: labelOutcomesSchema },
    problems: ['thing.unknown', 'log.unavailable'],
  },
  async (deps, { params, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const author = nameOf(exchange.caller);
    const outcomes = await appendLabels(
      deps,
      workspace,
      body.labels.map((label, at) => toldAt(label, at, author)),
    );
    const accepted = outcomes.filter(({ state }) => state === 'accepted').length;
    const unknown = outcomes.length - accepted;
    exchange.note({ detail: { accepted, unknown } });
    return { accepted, unknown, items: outcomes };
  },
);

function toldAt(written: WrittenLabel, at: number, author: string): ToldLabel {
  const told = addressLabel(written, author);
  if (typeof told !== 'string') return told;
  throw new Problem('request.invalid', told, {
    errors: [{ pointer: `/labels/${at}`, detail: told, expected: 'event, or client and reference' }],
  });
}

const listRoute = route(
  {
    id: 'listLabels',
    method: 'GET',
    path: '/workspaces/{workspace}/labels',
    tag: 'labels',
    needs: 'see',
    summary: 'Labels of a workspace, newest first',
    description: 'Those that are in the log and that the engine has processed. The newest label of an event counts.',
    params: inWorkspace,
    query: exactly({ ...pageQuery, ...showMember }),
    answer: { status: 200, description: 'One page.', schema: pageSchema(labelSchema) },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query: { limit, cursor, show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: 'labels' });
    const before = readCursor('label', cursor);
    const labels = await listLabels(deps, workspace, { limit: limit + 1, before });
    const page = pageOf('label', labels, { limit, keyOf: ({ recordOffset }) => recordOffset });
    return { ...page, items: page.items.map((label) => printLabel(workspace, label)) };
  },
);

const ofEventRoute = route(
  {
    id: 'listLabelsOfEvent',
    method: 'GET',
    path: '/workspaces/{workspace}/events/{event}/labels',
    tag: 'labels',
    needs: 'see',
    summary: 'Labels of one event, newest first',
    params: inEvent,
    query: exactly({ ...pageQuery, ...showMember }),
    answer: { status: 200, description: 'One page; its first label counts.', schema: pageSchema(labelSchema) },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query: { limit, cursor, show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: params.event });
    const before = readCursor('label', cursor);
    const event = parseEventId(params.event, workspace);
    const labels = await listLabels(deps, workspace, { limit: limit + 1, before, event });
    const page = pageOf('label', labels, { limit, keyOf: ({ recordOffset }) => recordOffset });
    return { ...page, items: page.items.map((label) => printLabel(workspace, label)) };
  },
);

/** Labels: what people learned about events. */
export const labelRoutes: readonly Route[] = [tellRoute, listRoute, ofEventRoute];
