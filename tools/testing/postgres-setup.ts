import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { migrations } from '../../apps/server/src/migrations.ts';
import { silentLog } from '../../apps/server/src/platform/database/database-log.ts';
import { startEmbeddedPostgres } from '../../apps/server/src/platform/database/embedded-postgres.ts';
import { migrate } from '../../apps/server/src/platform/database/migrate.ts';
import { createDatabase, migratedDatabase, type TestServer } from './postgres.ts';

/** Starts one real PostgreSQL for the whole run of the integration tests; stops and removes it at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const home = await mkdtemp(join(tmpdir(), 'ringfence-test-'));
  // As root, the server runs as another user, who must be able to enter it.
  await chmod(home, 0o711);
  const postgres = await startEmbeddedPostgres({ home, log: silentLog });
  const server: TestServer = postgres.connectionConfig;
  await createDatabase(server, { name: migratedDatabase });
  await migrate({ ...server, database: migratedDatabase }, migrations);
  project.provide('postgres', server);
  return async () => {
    await postgres.stop();
    await rm(home, { recursive: true, force: true });
  };
}
