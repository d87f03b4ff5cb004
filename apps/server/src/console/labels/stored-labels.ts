import type { Label } from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';
import { openUndamaged } from '../../platform/secrets/seal.ts';
import { notePlace } from '../../records/note-place.ts';
import { keyAmong, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** A label from its record, for its row. */
export interface LabelRow {
  readonly recordOffset: number;
  readonly offset: number;
  readonly epoch: number;
  readonly subject: string | undefined;
  /** `none` takes back what an earlier label made the event. */
  readonly label: Label | 'none';
  readonly author: string;
  readonly note: Uint8Array | undefined;
  readonly atMs: number;
}

/** A label as people see it. */
export interface StoredLabel {
  readonly recordOffset: number;
  readonly offset: number;
  readonly epoch: number;
  readonly label: Label;
  readonly author: string;
  /** Absent when there is none, or the client was erased. */
  readonly note: string | undefined;
  readonly labelledAtMs: number;
}

/** Written in the transaction of the batch; writing them again after an unknown commit changes nothing. */
export async function insertLabels(client: ClientBase, workspaceId: string, rows: readonly LabelRow[]): Promise<void> {
  await client.query({
    name: 'host_labels',
    text: `insert into label (workspace_id, "offset", epoch, record_offset, subject, label, author, note, labelled_at)
           select $1, r."offset", r.epoch, r.record_offset, r.subject, r.label, r.author, r.note,
                  to_timestamp(r.at_ms / 1000.0)
             from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::bytea[],
                         $9::float8[]) as r("offset", epoch, record_offset, subject, label, author, note, at_ms)
           on conflict do nothing`,
    values: [
      workspaceId,
      rows.map((row) => row.offset),
      rows.map((row) => row.epoch),
      rows.map((row) => row.recordOffset),
      rows.map((row) => row.subject ?? null),
      rows.map((row) => row.label),
      rows.map((row) => row.author),
      rows.map((row) => row.note ?? null),
      rows.map((row) => row.atMs),
    ],
  });
}

/**
 * The last labels of events, as a query: one row for each event that has a label, and none for an event whose last one
 * was taken back.
 */
export function lastLabelsQuery(where: string): string {
  return `select "offset", label, author from (
            select distinct on ("offset") "offset"::float8 as "offset", label, author from label
             where ${where} order by "offset", record_offset desc
          ) last where label <> 'none'`;
}

/** The last label of each event in a range of offsets. */
export async function readLabels(
  pool: Pool,
  workspaceId: string,
  range: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<number, Label>> {
  const { rows } = await pool.query<{ offset: number; label: Label }>(
    lastLabelsQuery('workspace_id = $1 and "offset" between $2 and $3'),
    [workspaceId, range.from, range.to],
  );
  return new Map(rows.map(({ offset, label }) => [offset, label]));
}

/** The last label of each of these events, and its author. */
export async function lastLabels(
  pool: Pool,
  workspaceId: string,
  offsets: readonly number[],
): Promise<ReadonlyMap<number, Pick<StoredLabel, 'label' | 'author'>>> {
  const { rows } = await pool.query<Pick<StoredLabel, 'offset' | 'label' | 'author'>>(
    lastLabelsQuery('workspace_id = $1 and "offset" = any ($2::bigint[])'),
    [workspaceId, offsets],
  );
  return new Map(rows.map(({ offset, ...told }) => [offset, told]));
}

export interface LabelPage {
  readonly limit: number;
  /** Only labels of records before this offset. */
  readonly before?: number | undefined;
  /** Only labels of this event and of those that it repeats. */
  readonly event?: { readonly offset: number; readonly epoch: number };
}

/** Labels, newest first, without those that were taken back. */
export async function listLabels(
  deps: { readonly pool: Pool; readonly subjects: Pick<SubjectKeys, 'bySubject'> },
  workspace: Workspace,
  { limit, before, event }: LabelPage,
): Promise<readonly StoredLabel[]> {
  const { rows } = await deps.pool.query<StoredRow>(
    `with recursive named as (
       select "offset", epoch, status, repeat_of from event where workspace_id = $1 and "offset" = $3 and epoch = $4
       union all
       select e."offset", e.epoch, e.status, e.repeat_of
         from named n join event e on e.workspace_id = $1 and e."offset" = n.repeat_of where n.status = 'repeat'
     )
     select "offset", epoch, record_offset, subject, label, author, note, labelled_at from label l
      where workspace_id = $1 and record_offset < $2 and label <> 'none'
        and not exists (select from label t where t.workspace_id = $1 and t."offset" = l."offset"
                                              and t.record_offset > l.record_offset and t.label = 'none')
        and ($3::bigint is null or ("offset", epoch) in (select "offset", epoch from named))
      order by record_offset desc limit $5`,
    [workspace.id, before ?? Number.MAX_SAFE_INTEGER, event?.offset ?? null, event?.epoch ?? null, limit],
  );
  const keys = await deps.subjects.bySubject(workspace, subjectsIn(rows));
  return rows.map((row) => ({
    recordOffset: row.record_offset,
    offset: row.offset,
    epoch: row.epoch,
    label: row.label,
    author: row.author,
    note: noteOf(workspace, row, keys),
    labelledAtMs: row.labelled_at.getTime(),
  }));
}

interface StoredRow {
  readonly offset: number;
  readonly epoch: number;
  readonly record_offset: number;
  readonly subject: string | null;
  readonly label: Label;
  readonly author: string;
  readonly note: Buffer | null;
  readonly labelled_at: Date;
}

function noteOf(workspace: Workspace, row: StoredRow, keys: ReadonlyMap<string, Buffer>): string | undefined {
  const { note, subject } = row;
  const key = keyAmong(keys, workspace, subject);
  if (note === null || key === undefined) return undefined;
  return openUndamaged(key, note, notePlace('label', workspace.id, row))?.toString();
}
