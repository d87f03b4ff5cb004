import { Problem } from '@ringfence/contract';
import { shownState } from '@ringfence/delivery';
import type { Action, Decision } from '@ringfence/engine';
import { parseHypotheticalEvent, type HypotheticalEvent } from '../../backtest/queries/hypothetical-event.ts';
import { whatIf } from '../../backtest/queries/what-if.ts';
import type { UnfiredRule } from '../../backtest/queries/unfired-rules.ts';
import type { Redecided } from '../../backtest/queries/redecide.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { parseEventId } from '../../records/event-id.ts';
import { findWorkspace } from '../server/find-workspace.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type Route, route } from '../server/operation.ts';
import { inEvent } from '../events/event-schema.ts';
import {
  decideThenBody,
  type DecidedThenAnswer,
  decideThenEvents,
  type WhatIfAnswer,
  whatIfBody,
  whatIfSchema,
} from './what-if-schema.ts';
import { streamInquiry } from '../server/stream-query.ts';
import { decideMasking } from '../server/masking.ts';

const whatIfRoute = route(
  {
    id: 'supposeEvent',
    method: 'POST',
    path: '/workspaces/{workspace}/events/{event}/what-if',
    tag: 'events',
    needs: 'see',
    isRead: true,
    summary: 'What would be decided if this event came now, with some values changed, and why no other rules fire',
    description:
      'Decided by the live engine and policy on the current state (a few seconds old): other events have come since, and sessions may have ended. Nothing is stored or sent. The enrichment of its device is kept; a changed address is only checked for its form.',
    params: inEvent,
    body: whatIfBody,
    example: { edits: { order: { amount: 25_000 } } },
    answer: { status: 200, description: 'What would be decided.', schema: whatIfSchema },
    problems: ['thing.unknown', 'event.invalid', 'state.conflict', 'right.missing'],
  },
  async (deps, { params, body: { edits, show } }, exchange) => {
    const workspace = await findWorkspace(deps, params);
    await decideMasking(deps, exchange, { workspace, show, what: params.event });
    const supposed = { ...(await readWhole(deps, workspace, params.event)), edits: JSON.stringify(edits) };
    return printDecided(await whatIf(deps, workspace, supposed));
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
    summary: 'Decide one event again on the state of its own moment, as it was or with some values changed',
    description:
      'Also explains why every other rule did not fire. The log is replayed up to the event by the live engine, in a background thread: the time it takes grows with the log before the event. Close the stream to cancel. Two such queries run at a time, for two people if two are waiting; while others wait, each runs for at most five minutes.',
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
    const view = await decideMasking(deps, exchange, { workspace, show, what: params.event });
    const whole = await readWhole(deps, workspace, params.event);
    const supposed = edits === undefined ? undefined : { ...whole, edits: JSON.stringify(edits) };
    // What ingest would refuse is reported before the replay.
    if (supposed !== undefined) parseHypotheticalEvent(workspace, supposed);
    const asked = { offset: parseEventId(params.event, workspace).offset, supposed };
    const inquiry = { kind: 'decideThen', asked } as const;
    streamInquiry(deps, { workspace, exchange, view, inquiry, events: decideThenEvents }, (heard) =>
      Promise.resolve(
        heard.kind === 'decided' ? [{ event: 'decided', data: printThen(heard.decided), isLast: true }] : [],
      ),
    );
  },
);

async function readWhole(
  deps: ManagementDeps,
  workspace: Workspace,
  event: string,
): Promise<Omit<HypotheticalEvent, 'edits'>> {
  const found = await deps.events.findWhole(workspace, parseEventId(event, workspace));
  if (found === undefined) {
    throw new Problem('thing.unknown', `Workspace ${workspace.name} has no readable event ${event}.`);
  }
  const { event: opened, facts, bodyText } = found;
  return { kind: opened.kind, facts, bodyText };
}

/** Prints a decision about a queried event. */
function printDecided(of: {
  readonly decision: Decision;
  readonly actions: readonly Action[];
  readonly unfired: readonly UnfiredRule[];
}): WhatIfAnswer {
  const { outcome, policyVersion, score, session, fired, missing } = of.decision;
  return {
    outcome,
    policyVersion,
    score,
    ...(session === undefined ? {} : { matched: session.matched }),
    ...(session?.mismatch === undefined ? {} : { mismatch: session.mismatch }),
    rules: fired,
    unmatched: of.unfired,
    missing,
    actions: of.actions.map(({ state, reason, action, message }) => ({
      reason,
      action,
      state: shownState(state),
      message,
    })),
  };
}

function printThen(decided: Redecided): DecidedThenAnswer {
  const { records, unreadable, differences } = decided;
  return { ...printDecided(decided), records, unreadable, differences };
}

/** Queries about hypothetical events, and about recorded ones decided again. */
export const whatIfRoutes: readonly Route[] = [whatIfRoute, decideThenRoute];
