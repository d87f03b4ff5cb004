/** The thread that runs one backtest of the service: it reads and adds up, its lanes step. Started by `Backtests`. */
import { constants, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import type { EpochMs } from '@ringfence/contract';
import { PostgresLog } from '@ringfence/log';
import type { ClientConfig } from 'pg';
import { makePool } from '../database/database.ts';
import { PostgresSubjectKeys } from '../subjects/postgres-subject-keys.ts';
import type { Workspace } from '../workspaces/workspace.ts';
import { runStoredBacktest } from './run-stored-backtest.ts';

/** What the main thread gives this one. */
export interface BacktestThreadSettings {
  readonly database: ClientConfig;
  /** Copied on its way, so that its secrets arrive as plain arrays. */
  readonly workspace: Workspace;
  readonly id: number;
}

/** One reads ahead, one notes progress. */
const connectionsMax = 3;

// Of this thread alone, where the system can: whoever serves goes first.
setPriority(constants.priority.PRIORITY_LOW);

const { database, workspace: copied, id } = workerData as BacktestThreadSettings;
const { data, index } = copied.secrets;
const workspace = { ...copied, secrets: { ...copied.secrets, data: Buffer.from(data), index: Buffer.from(index) } };

const pool = makePool(database, connectionsMax);
const log = new PostgresLog({ connection: database, pool, clock: () => Date.now() as EpochMs });
const subjects = new PostgresSubjectKeys({ pool, log, onError: () => {} });
try {
  await runStoredBacktest({ pool, log, subjects }, { workspace, id }, () => true);
} finally {
  await subjects.close();
  await log.close();
  await pool.end();
}
