import { type EventKind, isEventKind } from '@ringfence/contract';
import type { EventLog, LogRecord } from '@ringfence/log';
import type { Pool } from 'pg';
import { readDecidedTo } from '../../decide/partition-records.ts';
import type { EventFilter, EventPage } from './event-filter.ts';

/** Records of one look at the log. */
const lookRecords = 500;
/** Records that one page looks through: when a filter finds too few among them, the page is short and has a `next`. */
const looksMax = 4;

/** An event that is in the log and that the engine has not reached. */
export type AcceptedRecord = LogRecord & { readonly kind: EventKind };

export interface AcceptedPage {
  /** Newest first. */
  readonly records: readonly AcceptedRecord[];
  /** Where to go on; `undefined` when nothing older is left. */
  readonly before: number | undefined;
}

/** Events that are stored and not decided yet, newest first: normally a handful, many when the engine is behind. */
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

/** The event with this identity, as it stands in the log. */
export async function findInLog(
  log: Pick<EventLog, 'read'>,
  workspaceId: string,
  at: { readonly offset: number; readonly epoch: number },
): Promise<AcceptedRecord | undefined> {
  const [record] = await log.read(workspaceId, at.offset, 1);
  return record?.offset === at.offset && record.epoch === at.epoch && isEvent(record) ? record : undefined;
}

/** The part of a filter that a record tells without being opened. */
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
