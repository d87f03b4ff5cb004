import type { Cidr } from '@ringfence/delivery';
import type { EventLog } from '@ringfence/log';
import type { ClientBase, Pool } from 'pg';
import type { MasterKeys } from '../secrets/master-keys.ts';

/** What is needed to change workspaces: the database, what seals their secrets, and the log that learns of it. */
export interface WorkspaceDeps {
  readonly pool: Pool;
  readonly master: MasterKeys;
  readonly log: Pick<EventLog, 'append' | 'createPartition'>;
  /** The operator's ranges of private addresses that webhooks may be sent to. */
  readonly allowPrivateWebhooks: readonly Cidr[];
}

type Work<Result> = (client: ClientBase) => Promise<Result>;

/** Runs `work` in one transaction: all of it is committed, or nothing. */
export function inTransaction<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  return run(pool, 'begin', work);
}

/** Runs `work` on one state of the database, however many queries it makes. */
export function inSnapshot<Result>(pool: Pool, work: Work<Result>): Promise<Result> {
  return run(pool, 'begin isolation level repeatable read read only', work);
}

async function run<Result>(pool: Pool, begin: string, work: Work<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((cause: unknown) => {
      broken = cause as Error;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
