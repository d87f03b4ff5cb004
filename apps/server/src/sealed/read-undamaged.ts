import { InvariantError, NewerFormError } from '@ringfence/contract';
import type { EventLog, LogRecord } from '@ringfence/log';

/** Records at a time. */
const someMax = 1_000;

/**
 * The records of a range that are kept and can be read. Where some cannot, because a block of the log is damaged or gone,
 * each of those around them is read alone.
 */
export async function readUndamaged(
  log: Pick<EventLog, 'read'>,
  workspaceId: string,
  { from, end }: { readonly from: number; readonly end: number },
): Promise<readonly LogRecord[]> {
  const records: LogRecord[] = [];
  for (let next = from; next < end;) {
    const limit = Math.min(someMax, end - next);
    const some =
      (await tryToRead(log, workspaceId, { from: next, limit })) ??
      (await oneByOne(log, workspaceId, { from: next, limit }));
    records.push(...some.filter(({ offset }) => offset < end));
    next += limit;
  }
  return records;
}

interface Part {
  readonly from: number;
  readonly limit: number;
}

async function oneByOne(
  log: Pick<EventLog, 'read'>,
  workspaceId: string,
  { from, limit }: Part,
): Promise<readonly LogRecord[]> {
  const records: LogRecord[] = [];
  for (let offset = from; offset < from + limit; offset++) {
    const found = await tryToRead(log, workspaceId, { from: offset, limit: 1 });
    records.push(...(found ?? []).filter((record) => record.offset === offset));
  }
  return records;
}

/** `undefined` if some of them cannot be read. */
async function tryToRead(
  log: Pick<EventLog, 'read'>,
  workspaceId: string,
  { from, limit }: Part,
): Promise<readonly LogRecord[] | undefined> {
  try {
    return (await log.read(workspaceId, from, limit)).filter(({ offset }) => offset < from + limit);
  } catch (error) {
    if (error instanceof InvariantError || error instanceof NewerFormError || error instanceof RangeError)
      return undefined;
    throw error;
  }
}
