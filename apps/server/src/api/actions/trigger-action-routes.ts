import { Problem } from '@ringfence/contract';
import { exactly, text, wholeNumber } from '../../platform/shapes/shape.ts';
import { triggerAction } from '../../policies/directives/trigger-action.ts';
import { parseEventId } from '../../records/event-id.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import { type Route, route } from '../server/operation.ts';
import { printAction } from './print-action.ts';
import { actionSchema } from './action-schema.ts';
import { inEvent } from '../events/event-schema.ts';
import { sealingKeyOf } from '../alerts/alert-routes.ts';

const body = exactly({
  action: wholeNumber({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'What the bank is asked to do: 1 to 5 as the interface defines them, 6 and above are custom actions.',
  }),
  reason: wholeNumber({
    minimum: 1,
    maximum: 2_147_483_647,
    description: 'The rule that is reported to the bank as the reason.',
  }),
  message: text({ maxLength: 2_000, description: 'Plain text for the client.', expected: 'a text' }),
});

const triggerRoute = route(
  {
    id: 'triggerAction',
    method: 'POST',
    path: '/workspaces/{workspace}/events/{event}/actions',
    tag: 'actions',
    needs: 'work',
    summary: 'Ask the bank for an action manually, in the session of an event',
    description:
      'It is sent like any other action, and can be tracked, expire and be sent again. The engine does not treat it as an action of a rule: for rules, a session closed this way is closed once the bank reports its logout.',
    params: inEvent,
    body,
    example: { action: 2, reason: 301, message: 'Your session was closed. Please call us.' },
    answer: { status: 201, description: 'The action.', schema: actionSchema },
    problems: ['thing.unknown', 'state.conflict'],
  },
  async (deps, { params: { event: id, ...params }, body: wanted }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const identity = parseEventId(id, workspace);
    const found = await deps.events.find(workspace, identity);
    if (found === undefined) throw new Problem('thing.unknown', `There is no event ${id}.`);
    const subject = found.summary.clientRef;
    const key = await sealingKeyOf(deps, workspace, subject ?? null);
    const whole = await deps.events.findWhole(workspace, identity);
    if (whole === undefined) throw new Problem('state.conflict', 'The event can no longer be read.');
    const { event } = whole;
    const triggered = await triggerAction(deps.pool, workspace, {
      ...wanted,
      event,
      identity,
      subject,
      key,
      nowMs: deps.logNow(),
    });
    exchange.note({ target: triggered, detail: { event: id, action: wanted.action, reason: wanted.reason } });
    const action = await deps.deliveries.find(workspace.id, triggered);
    return printAction(deps, workspace, action!);
  },
);

/** Actions that a person triggers. */
export const triggerActionRoutes: readonly Route[] = [triggerRoute];
