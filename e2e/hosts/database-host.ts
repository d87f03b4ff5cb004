/**
 * The PostgreSQL of a host of its own: `node database-host.ts HOME ADDRESS NETWORK`, started in its network namespace.
 * Prints `DatabaseHost` of `hosts.ts` as one line of JSON when it accepts connections, and stops by SIGTERM.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectTo, startPostgres } from '../harness/postgres.ts';

const port = 5432;
const [home, address, network] = process.argv.slice(2) as [string, string, string];

const first = await startPostgres(home);
const access = join(home, 'postgres', 'database', 'pg_hba.network.conf');
await writeFile(access, `local all all trust\nhost all all ${network} trust\n`, { mode: 0o644 });
const client = await connectTo(first.databaseUrl);
await client.query(`ALTER SYSTEM SET listen_addresses = '${address}'`);
await client.query(`ALTER SYSTEM SET hba_file = '${access}'`);
await client.end();
await first.stop(); // both require a restart

const server = await startPostgres(home);
const { databaseUrl: localUrl } = server;
const databaseUrl = localUrl.replace('@/', `@${address}:${port}/`).replace(/\?.*/u, '');
process.stdout.write(`${JSON.stringify({ databaseUrl, localUrl })}\n`);
process.once('SIGTERM', () => void server.stop().then(() => process.exit(0)));
setInterval(() => {}, 60_000);
