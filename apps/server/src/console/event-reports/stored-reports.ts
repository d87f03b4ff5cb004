import type { ChargebackStage, OutcomeName } from '@ringfence/contract';
import type { OutcomeReport, ToldReport } from '@ringfence/engine';
import type { ClientBase, Pool } from 'pg';
import { type Columns, QueryParameters } from '../../platform/database/query-parameters.ts';
import { openUndamaged } from '../../platform/secrets/seal.ts';
import { notePlace } from '../../records/note-place.ts';
import { keyAmong, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** A reported outcome from its record, for its row. */
export interface ReportRow {
  readonly recordOffset: number;
  readonly report: OutcomeReport;
  readonly told: ToldReport;
  readonly reportedAtMs: number;
}

/** A reported outcome as people see it; what was not reported is `undefined`. */
export interface StoredReport extends Omit<OutcomeReport, 'action' | 'label'> {
  readonly author: string;
  /** Absent if none was given, or if the client was erased. */
  readonly note?: string;
  readonly happenedAtMs?: number;
  readonly reportedAtMs: number;
}

/** One event can be reported on again and again; the last ones are shown. */
const shownMax = 200;

const columns: Columns<ReportRow> = {
  offset: ['bigint', ({ told }) => told.offset],
  epoch: ['bigint', ({ told }) => told.epoch],
  record_offset: ['bigint', ({ recordOffset }) => recordOffset],
  subject: ['text', ({ told }) => told.subject],
  outcome: ['text', ({ report }) => report.outcome],
  method: ['text', ({ report }) => report.method],
  type: ['text', ({ report }) => report.type],
  code: ['text', ({ report }) => report.code],
  stage: ['text', ({ report }) => report.stage],
  loss: ['text', ({ report }) => report.loss],
  recovered: ['text', ({ report }) => report.recovered],
  currency: ['text', ({ report }) => report.currency],
  author: ['text', ({ told }) => told.author],
  note: ['bytea', ({ told }) => told.note],
  happened_ms: ['float8', ({ told }) => told.atMs],
  reported_ms: ['float8', ({ reportedAtMs }) => reportedAtMs],
};

/** Written in the transaction of the batch; writing them again after an unknown commit changes nothing. */
export async function insertReports(
  client: ClientBase,
  workspaceId: string,
  rows: readonly ReportRow[],
): Promise<void> {
  const parameters = new QueryParameters();
  await client.query({
    name: 'host_reports',
    text: `insert into event_report (workspace_id, "offset", epoch, record_offset, subject, outcome, method, type, code,
                                     stage, loss, recovered, currency, author, note, happened_at, reported_at)
           select ${parameters.add(workspaceId)}, r."offset", r.epoch, r.record_offset, r.subject, r.outcome, r.method,
                  r.type, r.code, r.stage, r.loss::numeric, r.recovered::numeric, r.currency, r.author, r.note,
                  to_timestamp(r.happened_ms / 1000.0), to_timestamp(r.reported_ms / 1000.0)
             from ${parameters.table('r', columns, rows)}
           on conflict do nothing`,
    values: parameters.values,
  });
}

interface Row {
  readonly offset: number;
  readonly epoch: number;
  readonly subject: string | null;
  readonly outcome: OutcomeName;
  readonly method: string | null;
  readonly type: string | null;
  readonly code: string | null;
  readonly stage: ChargebackStage | null;
  readonly loss: string | null;
  readonly recovered: string | null;
  readonly currency: string | null;
  readonly author: string;
  readonly note: Buffer | null;
  readonly happened_at: Date | null;
  readonly reported_at: Date;
}

/** What the bank reported about an event, and about the events that it repeats, oldest first. */
export async function reportsOf(
  deps: { readonly pool: Pool; readonly subjects: Pick<SubjectKeys, 'bySubject'> },
  workspace: Workspace,
  event: { readonly offset: number; readonly epoch: number },
): Promise<readonly StoredReport[]> {
  const { rows } = await deps.pool.query<Row>(
    `with recursive named as (
       select "offset", epoch, status, repeat_of from event where workspace_id = $1 and "offset" = $2 and epoch = $3
       union all
       select e."offset", e.epoch, e.status, e.repeat_of
         from named n join event e on e.workspace_id = $1 and e."offset" = n.repeat_of where n.status = 'repeat'
     )
     select r."offset", r.epoch, r.subject, r.outcome, r.method, r.type, r.code, r.stage, r.loss::text, r.recovered::text, r.currency,
            r.author, r.note, r.happened_at, r.reported_at
       from named n join event_report r on r.workspace_id = $1 and r."offset" = n."offset" and r.epoch = n.epoch
      order by r.record_offset desc limit ${shownMax}`,
    [workspace.id, event.offset, event.epoch],
  );
  const keys = await deps.subjects.bySubject(workspace, subjectsIn(rows));
  return rows.toReversed().map((row) => storedReport(workspace, row, keys));
}

/** What an author last reported about each of these events. */
export async function lastReportsBy(
  pool: Pool,
  workspaceId: string,
  of: { readonly offsets: readonly number[]; readonly author: string },
): Promise<ReadonlyMap<number, OutcomeReport>> {
  const { rows } = await pool.query<Pick<Row, 'offset' | 'outcome' | 'type' | 'loss' | 'recovered' | 'currency'>>(
    `select distinct on ("offset") "offset", outcome, type, loss::text, recovered::text, currency from event_report
      where workspace_id = $1 and "offset" = any ($2::bigint[]) and author = $3 order by "offset", record_offset desc`,
    [workspaceId, of.offsets, of.author],
  );
  return new Map(
    rows.map(({ offset, outcome, type, loss, recovered, currency }) => [
      offset,
      {
        outcome,
        ...(type === null ? {} : { type }),
        ...(loss === null ? {} : { loss }),
        ...(recovered === null ? {} : { recovered }),
        ...(currency === null ? {} : { currency }),
      },
    ]),
  );
}

function storedReport(workspace: Workspace, row: Row, keys: ReadonlyMap<string, Buffer>): StoredReport {
  const { outcome, method, type, code, stage, loss, recovered, currency, author, happened_at, reported_at } = row;
  const note = noteOf(workspace, row, keys);
  return {
    outcome,
    author,
    reportedAtMs: reported_at.getTime(),
    ...(method === null ? {} : { method }),
    ...(type === null ? {} : { type }),
    ...(code === null ? {} : { code }),
    ...(stage === null ? {} : { stage }),
    ...(loss === null ? {} : { loss }),
    ...(recovered === null ? {} : { recovered }),
    ...(currency === null ? {} : { currency }),
    ...(note === undefined ? {} : { note }),
    ...(happened_at === null ? {} : { happenedAtMs: happened_at.getTime() }),
  };
}

function noteOf(workspace: Workspace, row: Row, keys: ReadonlyMap<string, Buffer>): string | undefined {
  const { note, subject } = row;
  const key = keyAmong(keys, workspace, subject);
  if (note === null || key === undefined) return undefined;
  return openUndamaged(key, note, notePlace('report', workspace.id, row))?.toString();
}
