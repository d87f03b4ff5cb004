import type { EventLog } from '@ringfence/log';
import { eventId } from '../../records/event-id.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { type EventAddress, findEvents, type FindDeps, type NotFound } from '../event-index/find-events.ts';
import type { OutcomeReport } from '@ringfence/engine';
import { labelEntry, type NewLabel } from '../../records/label-record.ts';
import { reportEntry } from '../../records/report-record.ts';

/** How people name the event of a label. */
export type LabelAddress = Exclude<EventAddress, { readonly subject: string }>;

/** A label to record. */
export type ToldLabel = NewLabel & LabelAddress;

/** What a label cannot say: what a fraud cost, or that an event has no label any more. */
export type ToldReport = Pick<NewLabel, 'author' | 'note'> & LabelAddress & { readonly report: OutcomeReport };

interface LabelDeps extends FindDeps {
  readonly log: Pick<EventLog, 'append' | 'read'>;
}

/** The result for a label: the events that now have it, or why it was refused. */
export type LabelOutcome =
  | { readonly state: 'accepted'; readonly events: readonly string[] }
  | { readonly state: 'unknown'; readonly reason: string };

/**
 * Appends labels and reports to the log, one after the other. Each takes effect with its record; repeating one changes nothing.
 *
 * @returns one outcome for each, in order
 * @throws LogUnavailableError when the log does not confirm one: send them again
 */
export async function appendLabels(
  deps: LabelDeps,
  workspace: Workspace,
  labels: readonly (ToldLabel | ToldReport)[],
): Promise<readonly LabelOutcome[]> {
  const outcomes: LabelOutcome[] = [];
  for (const told of labels) {
    const found = await findEvents(deps, workspace, told);
    if ('reason' in found) {
      outcomes.push({ state: 'unknown', reason: reasonOf(found) });
      continue;
    }
    for (const { record, key } of found.events) {
      const sealing = { workspaceId: workspace.id, key };
      const entry =
        'report' in told
          ? reportEntry(record, { ...told, atMs: undefined }, sealing)
          : labelEntry(record, told, sealing);
      await deps.log.append(workspace.id, entry);
    }
    outcomes.push({ state: 'accepted', events: found.events.map(({ record }) => eventId(record, workspace)) });
  }
  return outcomes;
}

function reasonOf({ why, reason }: NotFound): string {
  return why === 'undecided' ? `${reason}: send the label again later` : reason;
}
