import type { OutcomeMessage } from '@ringfence/contract';
import { parseActionId } from '@ringfence/delivery';
import type { ActionRef } from '@ringfence/engine';
import { type EventAddress, type FindDeps, findEvents, type FoundEvent } from '../console/event-index/find-events.ts';
import { eventId, eventIdentity } from '../records/event-id.ts';
import type { Workspace } from '../tenancy/workspaces/workspace.ts';
import { type OutcomeReason, reasonText } from './outcome-reasons.ts';
import type { OutcomeRow } from './outcome-rows.ts';

/** The event of a report, with the action that it names; or why no event was found. */
export type OutcomeEvent =
  | { readonly state: 'found'; readonly event: FoundEvent; readonly action: ActionRef | undefined }
  /** It may still come. `isCertain`: it is in the log, and only not decided yet. */
  | { readonly state: 'waiting'; readonly reason: string; readonly isCertain: boolean }
  | { readonly state: 'unmatched'; readonly reason: string };

/**
 * Finds the one event that a report is about: by its `webhookId`, else its `event`, else its `user` and `reference`.
 * What else the report names must agree with it.
 */
export async function findOutcomeEvent(
  deps: FindDeps,
  workspace: Workspace,
  { row, message }: { readonly row: OutcomeRow; readonly message: OutcomeMessage },
): Promise<OutcomeEvent> {
  const { webhookId, event, user } = message;
  let action: ActionRef | undefined;
  let named = event;
  if (webhookId !== undefined) {
    const found = await findAction(deps, workspace, webhookId);
    if (typeof found === 'string') return unmatched(found);
    if (event !== undefined && event !== found.event) return unmatched('otherEvent');
    ({ event: named, action } = found);
  }
  if (named !== undefined && eventIdentity(named, workspace) === undefined) return unmatched('foreignEvent');
  const found =
    named === undefined ? await byReference(deps, workspace, row) : await byAddress(deps, workspace, { event: named });
  if (found.state !== 'found') return found;
  if (user !== undefined && found.event.record.subject !== row.subject) return unmatched('otherClient');
  return { ...found, action };
}

function unmatched(reason: OutcomeReason, detail?: string | number): OutcomeEvent {
  return { state: 'unmatched', reason: reasonText(reason, detail) };
}

/** The action of this workspace with this id, and its event; or why there is none. */
async function findAction(
  { pool }: FindDeps,
  workspace: Workspace,
  id: string,
): Promise<{ readonly action: ActionRef; readonly event: string } | OutcomeReason> {
  const identity = parseActionId(id);
  if (identity === undefined) return 'noAction';
  if (identity.workspaceId !== workspace.id) return 'foreignAction';
  const found = await pool.query<ActionRef & { readonly epoch: number }>({
    name: 'outcome_action',
    text: `select epoch, "offset", reason, position from action where workspace_id = $1 and id = $2`,
    values: [workspace.id, id],
  });
  const row = found.rows[0];
  if (row === undefined) return 'unknownAction';
  const { epoch, ...action } = row;
  return { action, event: eventId({ epoch, offset: action.offset }, workspace) };
}

async function byReference(deps: FindDeps, workspace: Workspace, row: OutcomeRow): Promise<OutcomeEvent> {
  let last: OutcomeEvent | undefined;
  for (const referenceIndex of row.reference_indexes) {
    last = await byAddress(deps, workspace, { subject: row.subject!, referenceIndex });
    if (last.state !== 'waiting' || last.isCertain) return last;
  }
  return last ?? unmatched('noAddress');
}

async function byAddress(deps: FindDeps, workspace: Workspace, address: EventAddress): Promise<OutcomeEvent> {
  const found = await findEvents(deps, workspace, address);
  if ('events' in found) {
    const [event, ...others] = found.events;
    if (event !== undefined && others.length === 0) return { state: 'found', event, action: undefined };
    return unmatched('severalOperations', found.events.length);
  }
  const { why, reason } = found;
  if (why === 'undecided') return { state: 'waiting', reason: reasonText('notDecided'), isCertain: true };
  // An event has its id from the log, so one that is not there never comes.
  if (why === 'unknown' && !('event' in address))
    return { state: 'waiting', reason: reasonText('noOperation'), isCertain: false };
  return why === 'unknown' ? unmatched('unknownEvent') : unmatched('unusableEvent', reason);
}
