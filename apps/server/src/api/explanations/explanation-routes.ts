import { Problem } from '@ringfence/contract';
import { keptExplanations } from '../../records/kept-explanations.ts';
import { parseEventId } from '../../records/event-id.ts';
import { inEvent } from '../events/event-schema.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { streamInquiry } from '../server/stream-query.ts';
import { explainBody, type ExplainedEvent, explainEvents } from './explanation-schema.ts';

const explainRoute = route(
  {
    id: 'explainEvent',
    method: 'POST',
    path: '/workspaces/{workspace}/events/{event}/explain',
    tag: 'events',
    needs: 'see',
    isRead: true,
    summary: 'Why the models of the policy gave their results for one event',
    description:
      'What each input adds to the log-odds of the model (exact TreeSHAP), in numbers and in words. A decision keeps the inputs of each model that one of its fired rules reads: then the answer is immediate. For other events, or with `again`, the log is replayed up to the event as by `decideEventThen`, within the same limits.',
    params: inEvent,
    body: explainBody,
    example: {},
    answer: {
      status: 200,
      description: 'Events `progress`, then `explained` or `problem`.',
      isStream: true,
      events: explainEvents,
    },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params, body: { again } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const identity = parseEventId(params.event, workspace);
    const found = await deps.events.find(workspace, identity);
    if (found === undefined) {
      throw new Problem('thing.unknown', `There is no event ${params.event} in workspace ${workspace.name}.`);
    }
    const { decision } = found;
    const { policyVersion, kind, currency } = found.summary;
    if (policyVersion === undefined) throw new Problem('state.conflict', 'The engine has not decided this event.');
    const kept =
      again === true
        ? undefined
        : await keptExplanations(deps.pool, workspace.id, { decision, policyVersion, kind, currency });
    if (kept !== undefined) {
      const explained: ExplainedEvent = {
        policyVersion,
        basis: 'kept',
        models: kept,
        differences: 0,
      };
      const stream = exchange.openStream();
      stream.send({ event: 'explained', data: explained });
      stream.end();
      return;
    }
    const inquiry = { kind: 'decideThen', asked: { offset: identity.offset } } as const;
    const of = { workspace, exchange, view: { isMasked: true }, inquiry, events: explainEvents };
    streamInquiry(deps, of, (heard) => {
      if (heard.kind !== 'decided') return Promise.resolve([]);
      const { decision: redecided, models, differences } = heard.decided;
      const explained: ExplainedEvent = {
        policyVersion: redecided.policyVersion,
        basis: 'again',
        models,
        differences: differences.length,
      };
      return Promise.resolve([{ event: 'explained', data: explained, isLast: true }]);
    });
  },
);

/** Explanations of models. */
export const explanationRoutes: readonly Route[] = [explainRoute];
