import type { EpochMs } from '@ringfence/contract';
import type { Pool, PoolClient } from 'pg';
import { type Appended, type LogEntry, LogUnavailableError } from '../log.ts';
import { type AppendRow, appendText, makeCall, settle } from './append-batch.ts';
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
  { pool, clock }: { readonly pool: Pool; readonly clock: () => EpochMs },
  { partition, entry, inTransaction, raisesGeneration }: AppendWith,
): Promise<Appended> {
  const client = await pool.connect().catch((cause: unknown) => {
    throw new LogUnavailableError('there is no connection to the database', { cause });
  });
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    await inTransaction(client);
    const appended = await appendOne(client, { partition, entry, nowMs: clock() });
    if (appended.kind === 'conflict') {
      await client.query('ROLLBACK');
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
  { partition, entry, nowMs }: { readonly partition: string; readonly entry: LogEntry; readonly nowMs: EpochMs },
): Promise<Appended> {
  const told = Promise.withResolvers<Appended>();
  const { resolve, reject } = told;
  const call = makeCall([{ partition, entry, generation: undefined, sinceMs: 0, resolve, reject }], nowMs);
  const rows = await rowsOf<AppendRow>(client, { text: appendText, values: call.values }).catch((cause: unknown) => {
    throw new LogUnavailableError('the database did not store the entry', { cause });
  });
  settle(call, rows);
  return told.promise;
}
