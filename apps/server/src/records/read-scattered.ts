import type { EventLog, LogRecord } from '@ringfence/log';

/** Unwanted records between two wanted ones that are read along: a kilobyte each is cheaper than another query. */
const gapMax = 8;
/** Records per query. */
const runMax = 500;
/** Concurrent queries. */
const readsMax = 8;

interface Run {
  readonly from: number;
  to: number;
}

/**
 * The records at some offsets, by offset. Close offsets are read together: a page of a list is usually one query, and
 * at worst one per row. Records that the log has dropped are missing from the result.
 */
export async function readScattered(
  log: Pick<EventLog, 'read'>,
  partition: string,
  offsets: readonly number[],
): Promise<ReadonlyMap<number, LogRecord>> {
  const found = new Map<number, LogRecord>();
  const runs = runsOf(offsets);
  for (let at = 0; at < runs.length; at += readsMax) {
    const part = runs.slice(at, at + readsMax);
    const read = await Promise.all(part.map(({ from, to }) => log.read(partition, from, to - from + 1)));
    for (const record of read.flat()) found.set(record.offset, record);
  }
  return found;
}

function runsOf(offsets: readonly number[]): readonly Run[] {
  const runs: Run[] = [];
  for (const offset of offsets.toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && offset - last.to <= gapMax && offset - last.from < runMax) last.to = offset;
    else runs.push({ from: offset, to: offset });
  }
  return runs;
}
