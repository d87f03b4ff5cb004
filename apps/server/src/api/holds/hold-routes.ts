import { Problem } from '@ringfence/contract';
import { nameOf } from '../../access/caller.ts';
import { answerAsSecond, decideHold, decideHolds, undoDecision } from '../../holds/decide-hold.ts';
import { findHold, listDecisions, listHolds, listMembers } from '../../holds/stored-holds.ts';
import { parseEventId } from '../../records/event-id.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { decideMasking } from '../server/masking.ts';
import { inWorkspace, pageSchema } from '../server/members.ts';
import { type Route, route } from '../server/operation.ts';
import { pageOf, readCursor } from '../server/page.ts';
import { showQuery } from '../server/show-member.ts';
import { holdContexts, printHolds } from './print-holds.ts';
import {
  bulkBody,
  bulkSchema,
  decisionBody,
  holdDetailSchema,
  holdQuery,
  holdSchema,
  inHold,
  isoOf,
  printDecision,
  printHold,
  printMember,
  secondBody,
  takenSchema,
} from './hold-schema.ts';

const listRoute = route(
  {
    id: 'listHolds',
    method: 'GET',
    path: '/workspaces/{workspace}/holds',
    tag: 'holds',
    needs: 'see',
    summary: 'Held payments',
    description: 'Open ones by their deadline, or ended ones, newest first.',
    params: inWorkspace,
    query: holdQuery,
    answer: { status: 200, description: 'One page.', schema: pageSchema(holdSchema) },
    problems: ['thing.unknown'],
  },
  async (deps, { params, query }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const { limit, cursor, show, state, client, clientRef, event } = query;
    await decideMasking(deps, exchange, { workspace, show, what: 'holds' });
    const named = client === undefined ? clientRef : ((await deps.subjects.find(workspace, client)) ?? null);
    if (named === null || (clientRef !== undefined && named !== clientRef)) return { items: [] };
    const found = await listHolds(deps.pool, workspace.id, {
      filter: { state, subject: named, event: event === undefined ? undefined : parseEventId(event, workspace) },
      page: { limit: limit + 1, after: readCursor('hold', cursor) },
    });
    const page = pageOf('hold', found, { limit, keyOf: ({ seq }) => seq });
    return { ...page, items: await printHolds(deps, workspace, page.items) };
  },
);

const readRoute = route(
  {
    id: 'readHold',
    method: 'GET',
    path: '/workspaces/{workspace}/holds/{hold}',
    tag: 'holds',
    needs: 'see',
    summary: 'One held payment with its operations and decisions',
    params: inHold,
    query: showQuery,
    answer: { status: 200, description: 'The hold.', schema: holdDetailSchema },
    problems: ['thing.unknown'],
  },
  async (deps, { params: { hold: id, ...params }, query: { show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: id });
    const hold = await findHold(deps.pool, workspace.id, id);
    if (hold === undefined) throw new Problem('thing.unknown', `There is no held payment ${id}.`);
    const [contextOf, members, decisions] = await Promise.all([
      holdContexts(deps, workspace, [hold]),
      listMembers(deps.pool, id),
      listDecisions(deps.pool, id),
    ]);
    const context = contextOf(hold);
    return {
      ...printHold(hold, context),
      operations: members.map((member) => printMember(member, workspace)),
      decisions: decisions.map((decision) => printDecision(decision, context)),
    };
  },
);

const decideRoute = route(
  {
    id: 'decideHold',
    method: 'POST',
    path: '/workspaces/{workspace}/holds/{hold}/decision',
    tag: 'holds',
    needs: 'decide',
    scope: 'holds:decide',
    summary: 'Release or reject a held payment',
    description:
      'The decision can be undone for 30 seconds. Then the bank is told with an action for each operation of the hold, or, for a large release, a second person has to confirm it. The first decision counts; there is no correction after it was sent.',
    params: inHold,
    body: decisionBody,
    example: { decision: 'release', comment: 'Called the client: the payment is hers.' },
    answer: { status: 202, description: 'It is decided.', schema: takenSchema },
    problems: ['thing.unknown', 'state.conflict', 'log.unavailable'],
  },
  async (deps, { params: { hold: id, ...params }, body: { decision, comment } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const taken = await decideHold(deps, workspace, { id, decision, comment, ...actorOf(deps, exchange) });
    const { undoUntilMs, needsSecond } = taken;
    exchange.note({ target: id, detail: { decision, needsSecond } });
    return { undoUntil: isoOf(undoUntilMs), needsSecond };
  },
);

const decideManyRoute = route(
  {
    id: 'decideHolds',
    method: 'POST',
    path: '/workspaces/{workspace}/holds/decisions',
    tag: 'holds',
    needs: 'decide',
    scope: 'holds:decide',
    summary: 'Release or reject several held payments',
    description:
      'Each is decided or refused by itself. Releasing needs a second person if the sum of the payments, by currency, does.',
    params: inWorkspace,
    body: bulkBody,
    example: { holds: ['act_k3v7q2ma_1795256130_42_301_0'], decision: 'reject' },
    answer: { status: 202, description: 'A result for each.', schema: bulkSchema },
    problems: ['thing.unknown', 'log.unavailable'],
  },
  async (deps, { params, body: { holds: ids, decision, comment } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const decided = await decideHolds(deps, workspace, { ids, decision, comment, ...actorOf(deps, exchange) });
    const taken = decided.flatMap((one) => ('refusal' in one ? [] : one.id));
    exchange.note({ detail: { decision, holds: taken } });
    return {
      results: decided.map((one) =>
        'refusal' in one
          ? { hold: one.id, problem: one.refusal.code, detail: one.refusal.message }
          : { hold: one.id, undoUntil: isoOf(one.undoUntilMs), needsSecond: one.needsSecond },
      ),
    };
  },
);

const undoRoute = route(
  {
    id: 'undoHoldDecision',
    method: 'POST',
    path: '/workspaces/{workspace}/holds/{hold}/undo',
    tag: 'holds',
    needs: 'decide',
    scope: 'holds:decide',
    summary: 'Take back one’s own decision',
    description: 'For 30 seconds, and while it waits for a second person. The payment stays held.',
    params: inHold,
    answer: { status: 204, description: 'The payment is undecided again.' },
    problems: ['thing.unknown', 'state.conflict', 'log.unavailable'],
  },
  async (deps, { params: { hold: id, ...params } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await undoDecision(deps, workspace, { id, ...actorOf(deps, exchange) });
    exchange.note({ target: id });
  },
);

const secondRoute = route(
  {
    id: 'answerHoldDecision',
    method: 'POST',
    path: '/workspaces/{workspace}/holds/{hold}/second',
    tag: 'holds',
    needs: 'decide',
    scope: 'none',
    summary: 'Confirm or refuse another person’s decision',
    description: 'Only people can, and only about the decision of another one.',
    params: inHold,
    body: secondBody,
    example: { decision: 'confirm' },
    answer: { status: 204, description: 'Confirmed: it was sent. Refused: the payment is undecided again.' },
    problems: ['thing.unknown', 'state.conflict', 'log.unavailable'],
  },
  async (deps, { params: { hold: id, ...params }, body: { decision: answer } }, exchange) => {
    if (exchange.caller.kind !== 'person')
      throw new Problem('state.conflict', 'Only a person can be the second one; a program cannot.');
    const workspace = await findWorkspace(deps, params);
    await answerAsSecond(deps, workspace, { id, answer, ...actorOf(deps, exchange) });
    exchange.note({ target: id, detail: { answer } });
  },
);

function actorOf(
  { now }: Pick<ManagementDeps, 'now'>,
  { caller }: Pick<Parameters<typeof decideMasking>[1], 'caller'>,
): { readonly author: string; readonly nowMs: number } {
  return { author: nameOf(caller), nowMs: now() };
}

/** Held payments, and what people decide about them. */
export const holdRoutes: readonly Route[] = [
  listRoute,
  readRoute,
  decideRoute,
  decideManyRoute,
  undoRoute,
  secondRoute,
];
