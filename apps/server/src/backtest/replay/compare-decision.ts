import { hashActionContent } from '@ringfence/delivery';
import type { Action, Decision, FiredRule } from '@ringfence/engine';
import { reasonsIn } from '../../decide/batch-writer.ts';
import type { Conclusion } from '../../decide/batch.ts';
import { eventId, withEventId } from '../../records/event-id.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { RecordedDecision } from './recorded-decisions.ts';

/** One difference of a decision, in words. */
export interface Change {
  readonly what: string;
  readonly recorded: string;
  readonly replayed: string;
}

/**
 * The differences between a recorded decision and the replayed one; empty when there are none.
 *
 * @param workspace has the key for blind indexes: contents of actions are compared by their keyed hash
 */
export function changesOf(
  recorded: RecordedDecision,
  replayed: Conclusion,
  workspace: Pick<Workspace, 'environment' | 'secrets'>,
): readonly Change[] {
  const { decision, actions } = replayed;
  return [
    change('rules', rulesText(recorded.fired), rulesText(reasonsIn(decision, 'fired'))),
    change('rules in shadow', rulesText(recorded.shadow), rulesText(reasonsIn(decision, 'shadow'))),
    change('actions', actionsText(recorded.actions), actionsText(actions)),
    change('outcome', recorded.status, decision.outcome),
    change('session', sessionText(recorded), sessionText(decision.session ?? {})),
    change('decided at', instantText(recorded.decidedAtMs), instantText(decision.atMs)),
    change('event time', instantText(recorded.eventAtMs), instantText(decision.eventAtMs)),
    change('policy version', String(recorded.policyVersion), String(decision.policyVersion)),
    change('repeat of', String(recorded.repeatOf ?? 'none'), String(decision.repeatOf ?? 'none')),
    ...detailChanges(recorded, decision),
    ...contentChanges(recorded, actions, workspace),
  ].filter((one) => one.recorded !== one.replayed);
}

function change(what: string, recorded: string, replayed: string): Change {
  return { what, recorded, replayed };
}

export function rulesText(reasons: readonly number[]): string {
  return reasons.length === 0 ? 'none' : reasons.join(', ');
}

export function actionsText(actions: readonly Pick<Action, 'reason' | 'position' | 'action'>[]): string {
  if (actions.length === 0) return 'none';
  return actions
    .toSorted((a, b) => a.reason - b.reason || a.position - b.position)
    .map(({ reason, action }) => `${action} (rule ${reason})`)
    .join(', ');
}

function sessionText(of: { readonly matched?: boolean | undefined; readonly mismatch?: string | undefined }): string {
  if (of.matched === undefined) return 'not asked';
  return of.matched ? 'matched' : `not matched: ${of.mismatch ?? 'unknown'}`;
}

function instantText(atMs: number | undefined): string {
  return atMs === undefined ? 'never' : new Date(atMs).toISOString();
}

/** For rules that fired both times: their facts, and whether a cooldown suppressed them. */
function detailChanges({ detail }: RecordedDecision, decision: Decision): readonly Change[] {
  if (detail === undefined) return [];
  const before = new Map(detail.fired.map((rule) => [rule.reason, rule]));
  const changes = decision.fired.flatMap((rule) => {
    const same = before.get(rule.reason);
    return same === undefined ? [] : ruleChanges(same, rule);
  });
  return [
    change(
      'rules that matched',
      rulesText(detail.fired.map(({ reason }) => reason)),
      rulesText(decision.fired.map(({ reason }) => reason)),
    ),
    ...changes,
    change('rules with a missing fact', rulesText(detail.missing), rulesText(decision.missing)),
  ];
}

function ruleChanges(recorded: FiredRule, replayed: FiredRule): readonly Change[] {
  const paths = [...new Set([...Object.keys(recorded.facts), ...Object.keys(replayed.facts)])].toSorted();
  return [
    change(
      `rule ${replayed.reason}, suppressed by`,
      recorded.suppressed ?? 'nothing',
      replayed.suppressed ?? 'nothing',
    ),
    ...paths.map((path) =>
      change(
        `rule ${replayed.reason} saw ${path}`,
        recorded.facts[path] ?? 'nothing',
        replayed.facts[path] ?? 'nothing',
      ),
    ),
  ];
}

/**
 * For actions requested both times: client, session, message, state. Compared by hash, so which one differs is unknown.
 */
function contentChanges(
  recorded: RecordedDecision,
  replayed: readonly Action[],
  workspace: Pick<Workspace, 'environment' | 'secrets'>,
): readonly Change[] {
  return replayed.flatMap((action) => {
    const same = recorded.actions.find(
      ({ reason, position }) => reason === action.reason && position === action.position,
    );
    if (same === undefined || same.action !== action.action) return [];
    const { atMs: decidedAtMs, client = '', session, offset } = action;
    const message = withEventId(action.message, eventId({ epoch: recorded.epoch, offset }, workspace));
    const hash = hashActionContent(workspace.secrets.index, { ...action, decidedAtMs, client, session, message });
    return [change(`content of action ${action.action}`, same.contentHash.toString('hex'), hash.toString('hex'))];
  });
}
