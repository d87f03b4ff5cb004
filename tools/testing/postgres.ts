import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { inject } from 'vitest';

/** The way into a database, in the words of `pg`. */
export interface TestServer {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL of this run, started by postgres-setup.ts. */
    readonly postgres: TestServer;
  }
}

/** An empty database of the test's own. It goes away with the run's server. */
export interface TestDatabase {
  /** For `new Pool(...)` and `new Client(...)` of `pg`. */
  readonly config: TestServer;
  /** The same, as a `DATABASE_URL`. */
  readonly url: string;
}

/** Makes a database on the run's PostgreSQL, for an integration test file to have for itself. Costs about 40 ms. */
export async function freshDatabase(): Promise<TestDatabase> {
  const server = inject('postgres');
  const database = `test_${randomBytes(6).toString('hex')}`;
  const client = new Client(server);
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
  const url = `postgresql://${server.user}@/${database}?host=${encodeURIComponent(server.host)}&port=${String(server.port)}`;
  return { config: { ...server, database }, url };
}
