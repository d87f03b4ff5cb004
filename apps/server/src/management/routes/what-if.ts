import { Problem } from '@ringfence/contract';
import { maskFacts, maskText } from '../../audit/personal.ts';
import { whatIf } from '../../console/what-if.ts';
import { parseEventId } from '../event-id.ts';
import { findWorkspace } from '../find-workspace.ts';
import { type Route, route } from '../operation.ts';
import { inEvent } from '../schemas/event-schema.ts';
import { whatIfBody, whatIfSchema } from '../schemas/what-if-schema.ts';
import { viewCondition, viewOf } from '../view.ts';

const whatIfRoute = route(
  {
    id: 'supposeEvent',
    method: 'POST',
    path: '/workspaces/{workspace}/events/{event}/what-if',
    tag: 'events',
    needs: 'see',
    isRead: true,
    summary: 'What would be decided if this event came now, with some values otherwise, and why no more rules fire',
    description:
      'By the engine and the policy that decide live, on what is known now (some seconds old): other events have come since, and sessions may have ended. Nothing is kept or sent. What was found out about its device stays; of another address only the form is known.',
    params: inEvent,
    body: whatIfBody,
    example: { edits: { order: { amount: 25_000 } } },
    answer: { status: 200, description: 'What would be decided.', schema: whatIfSchema },
    problems: ['thing.unknown', 'event.invalid', 'state.conflict', 'right.missing'],
  },
  async (deps, { params, body: { edits, show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const view = await viewOf(deps, exchange, { workspace, show, what: params.event });
    const found = await deps.events.findWhole(workspace, parseEventId(params.event));
    if (found === undefined) {
      throw new Problem(
        'thing.unknown',
        `There is no event ${params.event} that can be read in workspace ${workspace.name}.`,
      );
    }
    const { event, facts, bodyText } = found;
    const { decision, actions, unmatched } = await whatIf(deps, workspace, {
      kind: event.kind,
      bodyText,
      facts,
      edits,
    });
    const { outcome, score, session, fired, missing } = decision;
    return {
      outcome,
      score,
      ...(session === undefined ? {} : { matched: session.matched }),
      ...(session?.mismatch === undefined ? {} : { mismatch: session.mismatch }),
      rules: view.isMasked ? fired.map((rule) => ({ ...rule, facts: maskFacts(rule.facts) })) : fired,
      unmatched: unmatched.map(({ rule: { reason, name }, explanation: { conditions } }) => ({
        reason,
        name,
        conditions: conditions.map((condition) => viewCondition(view, condition)),
      })),
      missing,
      actions: actions.map(({ reason, action, state, message }) => ({
        reason,
        action,
        state,
        message: view.isMasked ? maskText(message) : message,
      })),
    };
  },
);

/** Events that never came. */
export const whatIfRoutes: readonly Route[] = [whatIfRoute];
