import { type EventKind, isEventKind, Problem } from '@ringfence/contract';
import type { EventLog, LogRecord } from '@ringfence/log';
import type { Pool } from 'pg';
import { entityIndex } from './entities.ts';
import { parseEventId } from '../../records/event-id.ts';
import { readScattered } from '../../records/read-scattered.ts';
import { keyAmong, subjectsIn } from '../../tenancy/subjects/client-seal.ts';
import type { SubjectKeys } from '../../tenancy/subjects/subject-keys.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';

/** How an event is named: by its id, or by the bank's own references, in clear or hashed by `entityIndex`. */
export type EventAddress =
  | { readonly event: string }
  | { readonly client: string; readonly reference: string }
  | { readonly subject: string; readonly referenceIndex: Buffer };

export interface FindDeps {
  readonly pool: Pool;
  readonly log: Pick<EventLog, 'read'>;
  readonly subjects: Pick<SubjectKeys, 'bySubject' | 'find'>;
}

/** An event that was decided and can be read, with the key of its client. */
export interface FoundEvent {
  readonly record: LogRecord & { readonly kind: EventKind };
  readonly key: Uint8Array;
}

/** Why an address has no events. `undecided`: it has one, but not yet; `refused`: it has one that cannot be used. */
export interface NotFound {
  readonly why: 'unknown' | 'undecided' | 'refused';
  readonly reason: string;
}

/** The events of an address, or why there are none. */
export type Found = { readonly events: readonly FoundEvent[] } | NotFound;

interface Row {
  readonly offset: number;
  readonly epoch: number;
  readonly status: string;
  readonly repeat_of: number | null;
}

/** Events of one client with the same reference; with more, it is not a reference. */
const sameReferenceMax = 100;

/**
 * Finds decided events, each once. A retry is resolved to the original event, through any number of retries. An event
 * that is not decided yet can't be used: no feature contains it so far.
 */
export async function findEvents(deps: FindDeps, workspace: Workspace, address: EventAddress): Promise<Found> {
  const named = await rowsOf(deps, workspace, address);
  if ('why' in named) return named;
  const rows = await appliedOf(deps.pool, workspace.id, named);
  if (rows === undefined) return notKept;
  const refusal = rows.map(refusalOf).find((reason) => reason !== undefined);
  if (refusal !== undefined) return refusal;
  const offsets = rows.map(({ offset }) => offset);
  const records = await readScattered(deps.log, workspace.id, offsets);
  const kept = offsets.flatMap((offset) => records.get(offset) ?? []).filter(isEvent);
  if (kept.length < offsets.length) return notKept;
  return opened(deps, workspace, kept);
}

const notKept: NotFound = { why: 'refused', reason: 'its body is no longer kept' };
const erased: NotFound = { why: 'refused', reason: 'its client was erased' };
const undecided: NotFound = { why: 'undecided', reason: 'it is not decided yet' };
const withoutReference: NotFound = { why: 'unknown', reason: 'this client has no operation with this reference' };

async function rowsOf(deps: FindDeps, workspace: Workspace, address: EventAddress): Promise<readonly Row[] | NotFound> {
  if ('event' in address) return byId(deps, workspace, address.event);
  if ('subject' in address) return byReference(deps.pool, workspace.id, address);
  const subject = await deps.subjects.find(workspace, address.client);
  if (subject === undefined) return { why: 'unknown', reason: 'this client is unknown' };
  const referenceIndex = entityIndex(workspace.secrets.index, 'reference', address.reference);
  return byReference(deps.pool, workspace.id, { subject, referenceIndex });
}

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

async function opened(deps: FindDeps, workspace: Workspace, records: readonly FoundEvent['record'][]): Promise<Found> {
  const keys = await deps.subjects.bySubject(workspace, subjectsIn(records));
  const events = records.flatMap((record) => {
    const key = keyAmong(keys, workspace, record.subject);
    return key === undefined ? [] : [{ record, key }];
  });
  return events.length < records.length ? erased : { events };
}

function refusalOf({ status }: Row): NotFound | undefined {
  if (status === 'waiting') return undecided;
  if (status === 'unreadable') return erased;
  return status === 'quarantined' ? { why: 'refused', reason: 'it is in quarantine, and in no feature' } : undefined;
}

async function byId({ pool, log }: FindDeps, workspace: Workspace, id: string): Promise<readonly Row[] | NotFound> {
  let at;
  try {
    at = parseEventId(id, workspace);
  } catch (error) {
    if (error instanceof Problem) return { why: 'unknown', reason: error.detail.replace(/\.$/, '') };
    throw error;
  }
  const found = await pool.query<Row>(
    `select "offset", epoch, status, repeat_of from event where workspace_id = $1 and "offset" = $2 and epoch = $3`,
    [workspace.id, at.offset, at.epoch],
  );
  if (found.rows.length > 0) return found.rows;
  const [record] = await log.read(workspace.id, at.offset, 1);
  const isComing = record?.offset === at.offset && record.epoch === at.epoch && isEvent(record);
  return isComing ? undecided : { why: 'unknown', reason: 'there is no such event in this workspace' };
}

async function byReference(
  pool: Pool,
  workspaceId: string,
  { subject, referenceIndex }: { readonly subject: string; readonly referenceIndex: Buffer },
): Promise<readonly Row[] | NotFound> {
  const found = await pool.query<Row>(
    `select e."offset", e.epoch, e.status, e.repeat_of
       from event e
      where e.workspace_id = $1 and (e.reference = $2 or e.sent_reference = $2) and e.subject = $3
      order by e."offset" limit ${sameReferenceMax}`,
    [workspaceId, referenceIndex, subject],
  );
  return found.rows.length > 0 ? found.rows : withoutReference;
}

function isEvent(record: LogRecord): record is FoundEvent['record'] {
  return isEventKind(record.kind);
}
