import { randomBytes } from 'node:crypto';
import type { EpochMs } from '@ringfence/contract';
import { Notifications, PostgresLog } from '@ringfence/log';
import type { ClientConfig, Pool } from 'pg';
import { makePool } from '../../src/platform/database/database.ts';
import { MasterKeys } from '../../src/platform/secrets/master-keys.ts';
import { verifyMasterKeys } from '../../src/platform/secrets/sealing-key.ts';
import type { WorkspaceDeps } from '../../src/tenancy/workspaces/workspace-deps.ts';
import { freshDatabase, migratedDatabase, type TestDatabase } from './postgres.ts';

/** A database with all tables, its log, and a master key, which all parts of the server need. */
export interface Installation {
  readonly connection: ClientConfig;
  /** Environment variables with which a shell command reaches it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly pool: Pool;
  readonly log: PostgresLog;
  readonly master: MasterKeys;
  readonly deps: WorkspaceDeps;
  /** Pool of a simulated other process on the same database. */
  anotherPool(): Pool;
  /** Notifications of a simulated other process. */
  anotherListener(): Notifications;
  close(): Promise<void>;
}

/** Connections per pool: the test database accepts 100 in all. */
const connectionsMax = 6;

export function testMasterKeys(): MasterKeys {
  return MasterKeys.load({ home: '/nowhere', fromEnvironment: randomBytes(32).toString('hex') });
}

/** @param given a migrated database, other than a new one */
export async function makeInstallation(given?: TestDatabase, master = testMasterKeys()): Promise<Installation> {
  const database = given ?? (await freshDatabase(migratedDatabase));
  const pools: Pool[] = [];
  const listeners: Notifications[] = [];
  const anotherPool = (): Pool => {
    const pool = makePool(database.config, connectionsMax);
    pools.push(pool);
    return pool;
  };
  const pool = anotherPool();
  const log = new PostgresLog({ connection: database.config, pool, clock: () => Date.now() as EpochMs });
  await verifyMasterKeys(pool, master);
  return {
    connection: database.config,
    environment: { DATABASE_URL: database.url, RINGFENCE_MASTER_KEY: master.source.fromEnvironment! },
    pool,
    log,
    master,
    deps: { pool, master, log, allowPrivateWebhooks: [] },
    anotherPool,
    anotherListener: () => {
      const listener = new Notifications(database.config);
      listeners.push(listener);
      return listener;
    },
    close: async () => {
      await Promise.all([log, ...listeners].map((one) => one.close()));
      await Promise.all(pools.map((one) => one.end()));
    },
  };
}
