import { join } from 'node:path';
import { Client } from 'pg';
import { silentLog } from '../../apps/server/src/platform/database/database-log.ts';
import {
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../../apps/server/src/platform/database/embedded-postgres.ts';
import { killTree } from './process-tree.ts';

/** A separate PostgreSQL, as in production: services connect to it by `DATABASE_URL`. */
export interface StandalonePostgres {
  readonly databaseUrl: string;
  /** Of the server that all others of its processes are started by. */
  readonly pid: number;
  /** SIGKILL to the postmaster and all its processes at once. Then it is restarted, as by a service manager. */
  kill(): void;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL below `home`, with the settings of the server's own embedded database (everything durable). */
export async function startPostgres(home: string): Promise<StandalonePostgres> {
  const postgres = await startEmbeddedPostgres({ home: join(home, 'postgres'), log: silentLog });
  const { host, port, user, database } = postgres.connectionConfig;
  return {
    databaseUrl: `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`,
    get pid() {
      return postgres.pid;
    },
    kill: () => killTree(postgres.pid),
    stop: () => postgres.stop(),
  };
}

/** Connects directly to the embedded database of a running service. */
export async function connectToEmbedded(home: string): Promise<Client> {
  const connection = await findEmbeddedPostgres(home);
  if (connection === undefined) throw new Error(`no database runs for ${home}`);
  return connected(new Client(connection));
}

export function connectTo(databaseUrl: string): Promise<Client> {
  return connected(new Client({ connectionString: databaseUrl }));
}

async function connected(client: Client): Promise<Client> {
  // The server may be killed meanwhile; the next query reports it.
  client.on('error', () => {});
  await client.connect();
  return client;
}
