/** Runs an embedded PostgreSQL until killed. Prints the server's pid once a table `kept` is committed in it. */
import { Client } from 'pg';
import { silentLog } from '../../../../src/platform/database/database-log.ts';
import { startEmbeddedPostgres } from '../../../../src/platform/database/embedded-postgres.ts';

const home = process.argv[2];
if (home === undefined) throw new Error('usage: hold-postgres.ts HOME');
const server = await startEmbeddedPostgres({ home, log: silentLog });
const client = new Client(server.connectionConfig);
await client.connect();
await client.query('CREATE TABLE kept AS SELECT 1 AS n');
process.stdout.write(String(server.pid));
setInterval(() => {}, 60_000); // keeps the process alive
