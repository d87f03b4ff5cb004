import { Problem } from '@ringfence/contract';
import { maskFacts } from '../../access/audit/personal.ts';
import { parseSupposed, type Supposed } from '../../backtest/queries/hypothetical-event.ts';
import { whatIf } from '../../backtest/queries/what-if.ts';
import type { DecidedThen } from '../../backtest/queries/redecide.ts';
import type { Change } from '../../backtest/replay/compare-decision.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { parseEventId } from '../../records/event-id.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import { printDecided } from '../events/print-decided.ts';
import { inEvent } from '../events/event-schema.ts';
import {
  decideThenBody,
  type DecidedThenAnswer,
  decideThenEvents,
  whatIfBody,
  whatIfSchema,
} from './what-if-schema.ts';
import { streamInquiry } from '../server/stream-query.ts';
import { type View, viewOf } from '../server/masking.ts';

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
    const supposed = { ...(await readWhole(deps, workspace, params.event)), edits: JSON.stringify(edits) };
    return printDecided(view, await whatIf(deps, workspace, supposed));
  },
);

const decideThenRoute = route(
  {
    id: 'decideEventThen',
    method: 'POST',
    path: '/workspaces/{workspace}/events/{event}/decide-then',
    tag: 'events',
    needs: 'see',
    isRead: true,
    summary: 'Decide one event again on what was known at its own moment, as it came or with some values otherwise',
    description:
      'Answers why every other rule did not fire. The log is stepped up to the event, on the path of the live engine, beside the service: it takes as long as the log before it is. Close the stream to end it. Two such questions are answered at a time, of two people where two ask; beside others, each for five minutes.',
    params: inEvent,
    body: decideThenBody,
    example: {},
    answer: {
      status: 200,
      description: 'Events `progress`, then `decided` or `problem`.',
      isStream: true,
      events: decideThenEvents,
    },
    problems: ['thing.unknown', 'event.invalid', 'right.missing'],
  },
  async (deps, { params, body: { edits, show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    const view = await viewOf(deps, exchange, { workspace, show, what: params.event });
    const whole = await readWhole(deps, workspace, params.event);
    const supposed = edits === undefined ? undefined : { ...whole, edits: JSON.stringify(edits) };
    // What the door would refuse is told before the walk.
    if (supposed !== undefined) parseSupposed(workspace, supposed);
    const asked = { offset: parseEventId(params.event).offset, supposed };
    streamInquiry(deps, { workspace, exchange, view, inquiry: { kind: 'decideThen', asked } }, (heard) =>
      Promise.resolve(
        heard.kind === 'decided' ? [{ event: 'decided', data: printThen(view, heard.decided), isLast: true }] : [],
      ),
    );
  },
);

async function readWhole(deps: ManagementDeps, workspace: Workspace, event: string): Promise<Omit<Supposed, 'edits'>> {
  const found = await deps.events.findWhole(workspace, parseEventId(event));
  if (found === undefined) {
    throw new Problem('thing.unknown', `There is no event ${event} that can be read in workspace ${workspace.name}.`);
  }
  const { event: opened, facts, bodyText } = found;
  return { kind: opened.kind, facts, bodyText };
}

function printThen(view: View, decided: DecidedThen): DecidedThenAnswer {
  const { records, unreadable, differences } = decided;
  return {
    ...printDecided(view, decided),
    records,
    unreadable,
    differences: view.isMasked ? differences.map(maskChange) : differences,
  };
}

/** What a rule saw may be personal; which rules, actions and times may be told. */
function maskChange({ what, recorded, replayed }: Change): Change {
  const path = / saw (\S+)$/.exec(what)?.[1];
  if (path === undefined) return { what, recorded, replayed };
  const masked = (text: string): string => maskFacts({ [path]: text })[path]!;
  return { what, recorded: masked(recorded), replayed: masked(replayed) };
}

/** Events that never came, and those that came asked about again. */
export const whatIfRoutes: readonly Route[] = [whatIfRoute, decideThenRoute];
