import { parseJson, Problem } from '@ringfence/contract';
import { nameOf } from '../../access/caller.ts';
import { outcomeIdempotency } from '../../ingest/idempotency.ts';
import { acceptOutcome } from '../../outcomes/accept-outcome.ts';
import { listOutcomes } from '../../outcomes/outcome-rows.ts';
import { parseEventId } from '../../records/event-id.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { inWorkspace, pageSchema } from '../server/members.ts';
import { decideMasking } from '../server/masking.ts';
import { type Route, route } from '../server/operation.ts';
import { pageOf, readCursor } from '../server/page.ts';
import {
  acceptedOutcomeSchema,
  outcomeBody,
  outcomeQuery,
  outcomeSchemaOfAnswer,
  printOutcome,
} from './outcome-schema.ts';

const reportRoute = route(
  {
    id: 'reportOutcome',
    method: 'POST',
    path: '/workspaces/{workspace}/outcomes',
    tag: 'outcomes',
    needs: 'work',
    summary: 'Report the outcome of an event',
    description:
      'The same as with a license key, and without its limits: fraud, legitimate, chargeback, unblocked and retracted may be reported as well. The report waits up to 24 hours for its event. An `Idempotency-Key` is the same one for both interfaces.',
    isIdempotent: true,
    params: inWorkspace,
    body: outcomeBody,
    example: { channelId: 1, outcome: 'chargeback', event: 'evt_1795256130_42', code: '4837', stage: 'opened' },
    answer: { status: 200, description: 'It is stored durably.', schema: acceptedOutcomeSchema },
    problems: ['thing.unknown', 'key.reused'],
  },
  async (deps, { params, body }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    // With the digits of amounts as they were sent.
    const json = parseJson(Buffer.from(JSON.stringify(body)));
    if (!json.ok) throw new Problem('json.malformed', json.error.detail, { errors: [json.error] });
    const author = nameOf(exchange.caller);
    const { idempotencyKey } = exchange;
    const idempotency = outcomeIdempotency(idempotencyKey, { indexKey: workspace.secrets.index, body: json.value });
    const { id, isReplay } = await acceptOutcome(deps, workspace, { body: json, idempotency, author, isByKey: false });
    if (isReplay) exchange.markReplayed();
    exchange.note({ target: id, detail: { outcome: (body as { readonly outcome: string }).outcome } });
    return { id, status: 'accepted' as const };
  },
);

const listRoute = route(
  {
    id: 'listOutcomes',
    method: 'GET',
    path: '/workspaces/{workspace}/outcomes',
    tag: 'outcomes',
    needs: 'see',
    summary: 'Reported outcomes, newest first',
    description:
      'With `state=unmatched`: those whose event was not found, each with the reason; with `state=open`: also those that wait for it.',
    params: inWorkspace,
    query: outcomeQuery,
    answer: { status: 200, description: 'One page.', schema: pageSchema(outcomeSchemaOfAnswer) },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query: { limit, cursor, state, reasonCode, event, show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: 'outcomes' });
    const rows = await listOutcomes(deps, workspace, {
      limit: limit + 1,
      before: readCursor('outcome', cursor),
      state,
      reason: reasonCode,
      event: event === undefined ? undefined : parseEventId(event, workspace),
    });
    const page = pageOf('outcome', rows, { limit, keyOf: ({ seq }) => seq });
    return { ...page, items: page.items.map((outcome) => printOutcome(workspace, outcome)) };
  },
);

/** Outcomes of events on the bank's side. */
export const outcomeRoutes: readonly Route[] = [reportRoute, listRoute];
