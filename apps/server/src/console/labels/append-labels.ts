import type { EventLog } from '@ringfence/log';
import { eventId } from '../../records/event-id.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type EventAddress, findEvents, type FindDeps, type NotFound } from '../event-index/find-events.ts';
import { labelEntry, type NewLabel } from '../../records/label-record.ts';

/** How people name the event of a label. */
export type LabelAddress = Exclude<EventAddress, { readonly subject: string }>;

/** A label to record. */
export type ToldLabel = NewLabel & LabelAddress;

interface LabelDeps extends FindDeps {
  readonly log: Pick<EventLog, 'append' | 'read'>;
}

/** The result for a label: the events that now have it, or why it was refused. */
export type LabelOutcome =
  | { readonly state: 'accepted'; readonly events: readonly string[] }
  | { readonly state: 'unknown'; readonly reason: string };

/**
 * Appends labels to the log, one after the other. Each takes effect with its record; repeating one changes nothing.
 *
 * @returns one outcome for each, in order
 * @throws LogUnavailableError when the log does not confirm one: send them again
 */
export async function appendLabels(
  deps: LabelDeps,
  workspace: Workspace,
  labels: readonly ToldLabel[],
): Promise<readonly LabelOutcome[]> {
  const outcomes: LabelOutcome[] = [];
  for (const told of labels) {
    const found = await findEvents(deps, workspace, told);
    if ('reason' in found) {
      outcomes.push({ state: 'unknown', reason: reasonOf(found) });
      continue;
    }
    for (const { record, key } of found.events) {
      await deps.log.append(workspace.id, labelEntry(record, told, { workspaceId: workspace.id, key }));
    }
    outcomes.push({ state: 'accepted', events: found.events.map(({ record }) => eventId(record, workspace)) });
  }
  return outcomes;
}

function reasonOf({ why, reason }: NotFound): string {
  return why === 'undecided' ? `${reason}: send the label again later` : reason;
}
