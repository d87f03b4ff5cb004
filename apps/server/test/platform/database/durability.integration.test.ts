import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/platform/database/database.ts';
import { silentLog } from '../../../src/platform/database/database-log.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/platform/database/embedded-postgres.ts';
import { OperatorError } from '../../../src/platform/observability/operator-error.ts';
import { patience } from '../../../../../tools/testing/patience.ts';

const names = ['fsync', 'full_page_writes', 'synchronous_commit'] as const;
/** All eight combinations of the three settings. */
const matrix = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) =>
  names.map((name, index) => [name, (bits >> index) % 2 === 1] as const),
);

/** Uses its own server, because the settings apply to all databases of a server. */
describe('the start refuses settings that would lose accepted events', () => {
  let home: string;
  let server: EmbeddedPostgres;
  let admin: Client;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'ringfence-durability-'));
    await chmod(home, 0o711);
    server = await startEmbeddedPostgres({ home, log: silentLog });
    admin = new Client(server.connectionConfig);
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await server.stop();
    await rm(home, { recursive: true });
  });

  async function open() {
    const { host, user, database } = server.connectionConfig;
    const databaseUrl = `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}`;
    return openDatabase({ databaseUrl, home, log: silentLog });
  }

  it.each(
    matrix.map((settings) => ({
      settings,
      name: settings.map(([name, on]) => `${name} ${on ? 'on' : 'off'}`).join(', '),
    })),
  )('$name', async ({ settings }) => {
    for (const [name, on] of settings) await admin.query(`ALTER SYSTEM SET ${name} = ${on ? 'on' : 'off'}`);
    await admin.query('SELECT pg_reload_conf()');
    for (const [name, on] of settings) {
      await vi.waitFor(async () => {
        const { rows } = await admin.query<{ value: string }>('SELECT current_setting($1) AS value', [name]);
        expect(rows[0]?.value).toBe(on ? 'on' : 'off');
      }, patience);
    }
    const refused = await open().then(
      async (database) => {
        await database.close();
        return undefined;
      },
      (error: unknown) => error,
    );
    const off = settings.filter(([, on]) => !on).map(([name]) => name);
    expect(refused instanceof OperatorError).toBe(off.length > 0);
    expect(names.filter((name) => String(refused).includes(`${name} is off`))).toEqual(off);
  });

  it('synchronous_commit off for the role only', async () => {
    await admin.query('ALTER SYSTEM RESET ALL');
    await admin.query('SELECT pg_reload_conf()');
    await admin.query('ALTER ROLE ringfence SET synchronous_commit = off');
    await expect(open()).rejects.toThrow('synchronous_commit is off');
  });
});
