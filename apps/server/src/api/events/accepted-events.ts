import { type EventKind, isEventKind } from '@ringfence/contract';
import type { EventLog, LogRecord } from '@ringfence/log';
import type { Pool } from 'pg';
import { readDecidedTo } from '../../decide/partition-records.ts';
import type { EventFilter, EventPage } from './event-filter.ts';

/** Records per read of the log. */
const lookRecords = 500;
/** Reads per page: if a filter matches too few of these records, the page is short and has a `next`. */
const looksMax = 4;

/** An event that is in the log but not processed by the engine yet. */
export type AcceptedRecord = LogRecord & { readonly kind: EventKind };

export interface AcceptedPage {
  /** Newest first. */
  readonly records: readonly AcceptedRecord[];
  /** Offset to continue from; `undefined` if nothing older is left. */
  readonly before: number | undefined;
}

/** Reads events that are stored and not decided yet, newest first: normally a handful, many if the engine is behind. */
export async function findAccepted(
  on: { readonly pool: Pool; readonly log: Pick<EventLog, 'read' | 'head'>; readonly workspaceId: string },
  page: EventPage,
  isWanted: (record: AcceptedRecord) => boolean,
): Promise<AcceptedPage> {
  const from = await readDecidedTo(on.pool, on.workspaceId);
  const { end } = await on.log.head(on.workspaceId);
  const records: AcceptedRecord[] = [];
  let before = Math.min(end, page.before ?? end);
  for (let look = 0; look < looksMax && before > from && records.length <= page.limit; look++) {
    const start = Math.max(from, before - lookRecords);
    const found = await on.log.read(on.workspaceId, start, before - start);
    records.push(...found.filter(isEvent).filter(isWanted).reverse());
    before = start;
  }
  if (records.length > page.limit) {
    const kept = records.slice(0, page.limit);
    return { records: kept, before: kept.at(-1)!.offset };
  }
  return { records, before: before > from ? before : undefined };
}

/** Reads the event with this identity from the log. */
export async function findInLog(
  log: Pick<EventLog, 'read'>,
  workspaceId: string,
  at: { readonly offset: number; readonly epoch: number },
): Promise<AcceptedRecord | undefined> {
  const [record] = await log.read(workspaceId, at.offset, 1);
  return record?.offset === at.offset && record.epoch === at.epoch && isEvent(record) ? record : undefined;
}

/** Checks the part of a filter that can be checked without decrypting the record. */
export function fits(record: AcceptedRecord, filter: EventFilter, subject: string | undefined): boolean {
  return (
    (subject === undefined || record.subject === subject) &&
    (filter.kind === undefined || record.kind === filter.kind) &&
    (filter.fromMs === undefined || record.logTimeMs >= filter.fromMs) &&
    (filter.toMs === undefined || record.logTimeMs < filter.toMs)
  );
}

function isEvent(record: LogRecord): record is AcceptedRecord {
  return isEventKind(record.kind);
}
