import type { EpochMs } from '@ringfence/contract';
import type { Pool, PoolClient } from 'pg';
import { type Appended, type LogEntry, LogUnavailableError } from '../log.ts';
import { type AppendRow, makeCall, settle } from './append-batch.ts';
import type { Placement, RecordWriter } from './record-writer.ts';
import { rowsOf } from './rows.ts';

export interface AppendWith {
  readonly partition: string;
  readonly entry: LogEntry;
  readonly inTransaction: (transaction: PoolClient) => Promise<void>;
  readonly raisesGeneration: boolean;
}

/**
 * Appends one entry and runs the caller's own work in one transaction. The work comes first, so that the head row, for
 * which all appends wait, is locked only for the append and the commit.
 *
 * @throws LogUnavailableError when the commit was not confirmed; any error of `inTransaction`, with nothing stored
 */
export async function appendInTransaction(
  {
    pool,
    clock,
    writer,
  }: { readonly pool: Pool; readonly clock: () => EpochMs; readonly writer?: RecordWriter | undefined },
  { partition, entry, inTransaction, raisesGeneration }: AppendWith,
): Promise<Appended> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw new LogUnavailableError('there is no connection to the database', { cause });
  });
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    await inTransaction(client);
    const placement = await writer?.put(partition, [{ entry, generation: undefined }]);
    const appended = await appendOne(client, { partition, entry, nowMs: clock(), placement });
    if (appended.kind === 'conflict') {
      await client.query('ROLLBACK');
      if (placement !== undefined) await writer?.refuse(partition, placement, [0]);
      return appended;
    }
    if (raisesGeneration) {
      await client.query('UPDATE log_partition SET generation = generation + 1 WHERE partition = $1', [partition]);
    }
    await commit(client);
    return appended;
  } catch (error) {
    await client.query('ROLLBACK').catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

async function commit(client: PoolClient): Promise<void> {
  try {
    await client.query('COMMIT');
  } catch (cause) {
    throw new LogUnavailableError('the commit was not confirmed; whether the entry was stored is unknown', { cause });
  }
}

async function appendOne(
  client: PoolClient,
  {
    partition,
    entry,
    nowMs,
    placement,
  }: {
    readonly partition: string;
    readonly entry: LogEntry;
    readonly nowMs: EpochMs;
    readonly placement: Placement | undefined;
  },
): Promise<Appended> {
  const told = Promise.withResolvers<Appended>();
  const { resolve, reject } = told;
  const waiting = [{ partition, entry, generation: undefined, sinceMs: 0, resolve, reject }];
  const call = makeCall([{ partition, waiting, placement }], nowMs);
  const rows = await rowsOf<AppendRow>(client, { text: call.text, values: call.values }).catch((cause: unknown) => {
    throw new LogUnavailableError('the database did not store the entry', { cause });
  });
  for (const { answer } of settle(call, rows).refused) answer();
  return told.promise;
}
