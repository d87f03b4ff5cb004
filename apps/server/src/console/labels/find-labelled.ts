import { type EventKind, isEventKind, Problem } from '@ringfence/contract';
import type { EventLog, LogRecord } from '@ringfence/log';
import type { Pool } from 'pg';
import { entityIndex } from '../event-index/entities.ts';
import { parseEventId } from '../../records/event-id.ts';
import { readScattered } from '../../records/read-scattered.ts';
import { keyAmong, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** How people identify an event: by its id, or by the bank's own references. */
export type LabelAddress = { readonly event: string } | { readonly client: string; readonly reference: string };

export interface LabelDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'append' | 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject' | 'find'>;
}

/** An event that can be labelled, with the key of its client. */
export interface Labelled {
  readonly record: LogRecord & { readonly kind: EventKind };
  readonly key: Uint8Array;
}

/** The events of an address, or why there are none. */
export type Found = { readonly events: readonly Labelled[] } | { readonly reason: string };

interface Row {
  readonly offset: number;
  readonly epoch: number;
  readonly status: string;
  readonly repeat_of: number | null;
}

/** Events of one client with the same reference; with more, it is not a reference. */
const sameReferenceMax = 100;

/**
 * Finds the events to label, each once. A retry is resolved to the original event, through any number of retries. An
 * event that is not decided yet can't be labelled: no feature contains it so far.
 */
export async function findLabelled(deps: LabelDeps, workspace: Workspace, address: LabelAddress): Promise<Found> {
  const named =
    'event' in address ? await byId(deps, workspace, address.event) : await byReference(deps, workspace, address);
  if (typeof named === 'string') return { reason: named };
  const rows = await appliedOf(deps.pool, workspace.id, named);
  if (rows === undefined) return { reason: notKept };
  const refusal = rows.map(refusalOf).find((reason) => reason !== undefined);
  if (refusal !== undefined) return { reason: refusal };
  const offsets = rows.map(({ offset }) => offset);
  const records = await readScattered(deps.log, workspace.id, offsets);
  const kept = offsets.flatMap((offset) => records.get(offset) ?? []).filter(isEvent);
  if (kept.length < offsets.length) return { reason: notKept };
  return opened(deps, workspace, kept);
}

const notKept = 'its body is no longer kept';

/**
 * Resolves repeats to the original events: each once, in log order. Follows repeats to the original event: what it
 * repeats has a lower offset. `undefined` when one of them is no longer kept.
 */
async function appliedOf(pool: Pool, workspaceId: string, named: readonly Row[]): Promise<readonly Row[] | undefined> {
  const applied = new Map<number, Row>();
  for (let rows = named; rows.length > 0;) {
    for (const row of rows) if (row.status !== 'repeat') applied.set(row.offset, row);
    const repeated = new Set(rows.filter(({ status }) => status === 'repeat').map((row) => row.repeat_of));
    const found = await pool.query<Row>(
      `select "offset", epoch, status, repeat_of from event where workspace_id = $1 and "offset" = any ($2::bigint[])`,
      [workspaceId, [...repeated]],
    );
    if (found.rows.length < repeated.size) return undefined;
    rows = found.rows;
  }
  return [...applied.values()].toSorted((a, b) => a.offset - b.offset);
}

async function opened(deps: LabelDeps, workspace: Workspace, records: readonly Labelled['record'][]): Promise<Found> {
  const keys = await deps.subjects.bySubject(workspace, subjectsIn(records));
  const events = records.flatMap((record) => {
    const key = keyAmong(keys, workspace, record.subject);
    return key === undefined ? [] : [{ record, key }];
  });
  return events.length < records.length ? { reason: 'its client was erased' } : { events };
}

function refusalOf({ status }: Row): string | undefined {
  if (status === 'waiting') return 'it is not decided yet: send the label again later';
  if (status === 'unreadable') return 'its client was erased';
  return status === 'quarantined' ? 'it is in quarantine, and in no feature' : undefined;
}

async function byId({ pool, log }: LabelDeps, workspace: Workspace, id: string): Promise<readonly Row[] | string> {
  let at;
  try {
    at = parseEventId(id, workspace);
  } catch (error) {
    if (error instanceof Problem) return error.detail.replace(/\.$/, '');
    throw error;
  }
  const found = await pool.query<Row>(
    `select "offset", epoch, status, repeat_of from event where workspace_id = $1 and "offset" = $2 and epoch = $3`,
    [workspace.id, at.offset, at.epoch],
  );
  if (found.rows.length > 0) return found.rows;
  const [record] = await log.read(workspace.id, at.offset, 1);
  const isComing = record?.offset === at.offset && record.epoch === at.epoch && isEvent(record);
  return isComing ? 'it is not decided yet: send the label again later' : 'there is no such event in this workspace';
}

async function byReference(
  deps: LabelDeps,
  workspace: Workspace,
  { client, reference }: { readonly client: string; readonly reference: string },
): Promise<readonly Row[] | string> {
  const subject = await deps.subjects.find(workspace, client);
  if (subject === undefined) return 'this client is unknown';
  const index = entityIndex(workspace.secrets.index, 'reference', reference);
  const found = await deps.pool.query<Row>(
    `select e."offset", e.epoch, e.status, e.repeat_of
       from event_entity n join event e on e.workspace_id = n.workspace_id and e."offset" = n."offset"
      where n.workspace_id = $1 and n.reference = $2 and e.subject = $3
      order by e."offset" limit ${sameReferenceMax}`,
    [workspace.id, index, subject],
  );
  return found.rows.length > 0 ? found.rows : 'this client has no operation with this reference';
}

function isEvent(record: LogRecord): record is Labelled['record'] {
  return isEventKind(record.kind);
}
