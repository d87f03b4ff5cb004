import { assert } from '@ringfence/contract';
import type { AlertRow } from '../../console/alerts/alert-rows.ts';
import { readStories } from '../../console/alerts/alert-stories.ts';
import { dueAtMs } from '../../console/alerts/due-time.ts';
import { handedNotePlace } from '../../console/alerts/work-on-alerts.ts';
import { openUndamaged } from '../../platform/secrets/seal.ts';
import { clientPlace, keyAmong, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import type { ClientKeys } from '../../records/event-opener.ts';
import type { ManagementDeps } from '../server/management-deps.ts';
import { type PrintedAlert, printAlert } from './alert-schema.ts';

type Deps = Pick<ManagementDeps, 'pool'> & { readonly subjects: Pick<SubjectKeys, 'bySubject'> };

export async function printAlerts(
  { pool, subjects }: Deps,
  workspace: Workspace,
  rows: readonly AlertRow[],
): Promise<readonly PrintedAlert[]> {
  const keys = await subjects.bySubject(workspace, subjectsIn(rows));
  const stories = await readStories(pool, workspace, { rows, keys });
  return rows.map((row) =>
    printAlert(row, {
      client: clientOf(workspace, row, keys),
      story: stories.get(row.id),
      note: handedNoteOf(workspace, row, keys),
      dueAtMs: row.state === 'open' ? dueAtMs(workspace.settings, row.opened_at.getTime()) : undefined,
    }),
  );
}

export async function printOneAlert(deps: Deps, workspace: Workspace, row: AlertRow): Promise<PrintedAlert> {
  const [printed] = await printAlerts(deps, workspace, [row]);
  assert(printed !== undefined, 'printing one alert returns one alert');
  return printed;
}

/** `undefined` if the events named no client, it was erased, or its name is damaged. */
function clientOf(
  workspace: Workspace,
  { subject, client, first_offset: first }: AlertRow,
  keys: ClientKeys,
): string | undefined {
  const key = subject === null ? undefined : keys.get(subject);
  if (subject === null || client === null || key === undefined) return undefined;
  return openUndamaged(key, client, clientPlace('alert', { workspaceId: workspace.id, subject }, first))?.toString();
}

/** `undefined` without a note, after its client was erased, and for a damaged one. */
function handedNoteOf(workspace: Workspace, row: AlertRow, keys: ClientKeys): string | undefined {
  const { id: alertId, handed_note: sealed, handed_by_name: giver, handed_at: at } = row;
  const key = keyAmong(keys, workspace, row.subject);
  if (sealed === null || giver === null || at === null || key === undefined) return undefined;
  const place = handedNotePlace({ workspaceId: workspace.id, alertId }, { giver, atMs: at.getTime() });
  return openUndamaged(key, sealed, place)?.toString();
}
