import { assert, clientOf } from '@ringfence/contract';
import type { AlertRow } from '../alerts/alert-rows.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import { openRecordWhole } from './event-opener.ts';
import type { ManagementDeps } from './management-deps.ts';
import { readScattered } from './read-scattered.ts';
import { type PrintedAlert, printAlert } from './schemas/alert-schema.ts';
import { type View, viewEntity } from './view.ts';

type Deps = Pick<ManagementDeps, 'pool' | 'log' | 'subjects'>;

/** Alerts as people see them: whose they are is read from their last event. */
export async function printAlerts(
  deps: Deps,
  of: { readonly workspace: Workspace; readonly view: View },
  rows: readonly AlertRow[],
): Promise<readonly PrintedAlert[]> {
  const { workspace, view } = of;
  const clients = await clientsOf(deps, workspace, rows);
  return rows.map((row) => {
    const client = clients.get(row.id);
    return printAlert(row, client === undefined ? undefined : viewEntity(view, 'client', client));
  });
}

export async function printOneAlert(
  deps: Deps,
  of: { readonly workspace: Workspace; readonly view: View },
  row: AlertRow,
): Promise<PrintedAlert> {
  const [printed] = await printAlerts(deps, of, [row]);
  assert(printed !== undefined, 'one alert is printed');
  return printed;
}

async function clientsOf(
  { pool, log, subjects }: Deps,
  workspace: Workspace,
  rows: readonly AlertRow[],
): Promise<ReadonlyMap<string, string>> {
  const offsets = rows.map((row) => row.last_offset);
  const [keys, records, kinds] = await Promise.all([
    subjects.bySubject(workspace, [...new Set(rows.flatMap(({ subject }) => subject ?? []))]),
    readScattered(log, workspace.id, offsets),
    pool.query<{ offset: number; kind: 'login' | 'logout' | 'operation' }>(
      `select "offset", kind from event where workspace_id = $1 and "offset" = any($2)`,
      [workspace.id, offsets],
    ),
  ]);
  const kindAt = new Map(kinds.rows.map(({ offset, kind }) => [offset, kind]));
  const clients = new Map<string, string>();
  for (const { id, last_offset: offset } of rows) {
    const record = records.get(offset);
    const kind = kindAt.get(offset);
    if (record === undefined || kind === undefined) continue;
    const opened = openRecordWhole(workspace, { record, kind }, keys);
    const client = opened === undefined ? undefined : clientOf(opened.event);
    if (client !== undefined) clients.set(id, client);
  }
  return clients;
}
