import { Problem } from '@ringfence/contract';
import type { ExplainedCondition } from '@ringfence/policy';
import { may } from '../../access/accounts/caller.ts';
import { maskEntity, maskDerived, maskFacts, maskPayload, maskText } from '../../access/audit/personal.ts';
import type { ExampleDetail } from '../../backtest/backtests/example-detail.ts';
import type { UnfiredRule } from '../../backtest/queries/unfired-rules.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { RequestContext } from './request-context.ts';
import type { ManagementDeps } from './management-deps.ts';
import { noteAudit } from './note-audit.ts';
import type { PrintedAction, PrintedAttempt } from '../actions/action-schema.ts';
import type { EventDetail, EventSummary } from '../events/event-schema.ts';

/** How much of an answer its caller may see. */
export interface Masking {
  readonly isMasked: boolean;
}

/**
 * Decides what the caller of an operation may see. Showing personal data is recorded in the audit log before it is
 * sent.
 *
 * @param what names what is shown, without personal data
 * @throws Problem `right.missing`
 */
export async function maskingOf(
  deps: ManagementDeps,
  exchange: RequestContext,
  of: { readonly workspace: Workspace; readonly show: boolean | undefined; readonly what: string },
): Promise<Masking> {
  const { workspace, show, what } = of;
  if (exchange.caller.kind !== 'person') return { isMasked: false };
  if (show !== true) return { isMasked: true };
  if (!may(exchange.caller, 'show', workspace.id)) {
    throw new Problem('right.missing', 'This needs the right "show". Omit `show` to get masked values.');
  }
  await noteAudit(deps, exchange, { action: 'personalData.show', workspaceId: workspace.id, target: what });
  return { isMasked: false };
}

export function maskEvent(view: Masking, event: EventSummary): EventSummary {
  if (!view.isMasked) return event;
  const { client, session } = event;
  return {
    ...event,
    ...(client === undefined ? {} : { client: maskText(client) }),
    ...(session === undefined ? {} : { session: maskText(session) }),
  };
}

export function maskEventDetail(view: Masking, detail: EventDetail): EventDetail {
  if (!view.isMasked) return detail;
  return {
    ...detail,
    ...maskEvent(view, detail),
    ...(detail.received === undefined ? {} : { received: maskPayload(detail.received) }),
    ...(detail.derived === undefined ? {} : { derived: maskDerived(detail.derived) }),
    rules: detail.rules.map((rule) => ({ ...rule, facts: maskFacts(rule.facts) })),
    actions: detail.actions.map((action) => maskAction(view, action)),
  };
}

export function maskAction<Action extends PrintedAction>(view: Masking, action: Action): Action {
  if (!view.isMasked) return action;
  const { client, session, message } = action;
  return {
    ...action,
    ...(client === undefined ? {} : { client: maskText(client) }),
    ...(session === undefined ? {} : { session: maskText(session) }),
    ...(message === undefined ? {} : { message: maskText(message) }),
  };
}

/** Removes what the client's server answered: its text may contain personal data. */
export function maskActionDetail(
  view: Masking,
  detail: PrintedAction & { readonly history: readonly PrintedAttempt[] },
): PrintedAction & { readonly history: readonly PrintedAttempt[] } {
  if (!view.isMasked) return detail;
  const history = detail.history.map(({ message: _message, headers: _headers, body: _body, ...attempt }) => attempt);
  return { ...maskAction(view, detail), history };
}

function viewCondition(view: Masking, condition: ExplainedCondition): ExplainedCondition {
  return view.isMasked ? { ...condition, values: maskFacts(condition.values) } : condition;
}

export function maskUnfired(view: Masking, rule: UnfiredRule): UnfiredRule {
  return { ...rule, conditions: rule.conditions.map((condition) => viewCondition(view, condition)) };
}

export function maskExample(view: Masking, example: ExampleDetail): ExampleDetail {
  if (!view.isMasked) return example;
  const { client, rules } = example;
  return {
    ...example,
    client: client === undefined ? undefined : maskText(client),
    rules: rules.map((rule) => ({
      ...rule,
      conditions: rule.conditions.map((condition) => viewCondition(view, condition)),
    })),
  };
}

export function maskEntityView(view: Masking, kind: string, value: string): string {
  return view.isMasked ? maskEntity(kind, value) : value;
}
