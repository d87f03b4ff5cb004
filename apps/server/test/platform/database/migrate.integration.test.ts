import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  migrate,
  type Migration,
  missingMigrations,
  printMigrations,
  releasesSchema,
  startTheNewerRelease,
  unknownMigrations,
} from '../../../src/platform/database/migrate.ts';
import { migrations } from '../../../src/migrations.ts';
import { OperatorError } from '../../../src/platform/observability/operator-error.ts';
import { release } from '../../../src/platform/release.ts';
import { announceKeys } from '../../../src/platform/secrets/key-holders.ts';
import { testMasterKeys } from '../../support/installation.ts';
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts';

const first: Migration = { name: '0001-one', sql: 'CREATE TABLE one (n integer); INSERT INTO one VALUES (1)' };
const second: Migration = { name: '0002-two', sql: 'ALTER TABLE one ADD COLUMN m integer' };

describe('migrate', () => {
  let database: TestDatabase;
  let client: Client;

  beforeEach(async () => {
    database = await freshDatabase();
    client = new Client(database.config);
    await client.connect();
  });
  afterEach(() => client.end());

  it('applies missing migrations in order, once', async () => {
    expect(await missingMigrations(client, [first, second])).toEqual([first, second]);
    expect(await migrate(database.config, [first])).toEqual(['0001-one']);
    expect(await missingMigrations(client, [first, second])).toEqual([second]);
    expect(await migrate(database.config, [first, second])).toEqual(['0002-two']);
    expect(await migrate(database.config, [first, second])).toEqual([]);
    expect((await client.query('SELECT * FROM one')).rows).toEqual([{ n: 1, m: null }]);
  });

  it('may run in several processes at a time: one of them applies each step', async () => {
    const applied = await Promise.all([1, 2, 3].map(() => migrate(database.config, [first, second])));
    expect(applied.flat().toSorted()).toEqual(['0001-one', '0002-two']);
  });

  it('rolls back a failed step, and continues from there', async () => {
    const broken: Migration = { name: '0002-two', sql: 'ALTER TABLE one ADD COLUMN m integer; SELECT 1 / 0' };
    await expect(migrate(database.config, [first, broken])).rejects.toThrow('division by zero');
    expect(await missingMigrations(client, [first, second])).toEqual([second]);
    expect(await migrate(database.config, [first, second])).toEqual(['0002-two']);
  });

  it('refuses a step that older processes would misread, while one of them runs', async () => {
    const alone: Migration = { ...second, needsNoOther: true };
    await migrate(database.config, [first]);
    const process = new Client(database.config);
    await process.connect();
    await announceKeys(process, testMasterKeys());
    await expect(migrate(database.config, [first, alone])).rejects.toThrow('Other processes of the service run');
    expect(await missingMigrations(client, [first, alone])).toEqual([alone]);
    await process.end();
    await expect.poll(() => migrate(database.config, [first, alone]).catch(String)).toEqual(['0002-two']);
  });

  it('refuses a migration that changed after it was applied', async () => {
    await migrate(database.config, [first]);
    const changed = { ...first, sql: `${first.sql} ` };
    await expect(migrate(database.config, [changed])).rejects.toThrow(OperatorError);
    await expect(migrate(database.config, [{ ...first, name: '0001-other' }])).rejects.toThrow(OperatorError);
  });

  it('accepts a database of a newer release, unless that excludes older ones', async () => {
    await migrate(database.config, [first, second]);
    expect(await migrate(database.config, [first])).toEqual([]);
    await migrate(database.config, [first, second, { name: '0003-three', sql: 'DROP TABLE one', shutsOutOlder: true }]);
    await expect(migrate(database.config, [first, second])).rejects.toMatchObject({
      name: 'OperatorError',
      message: `A newer release has changed the database (0003-three), and this release, ${release}, cannot run on it.`,
      mend: startTheNewerRelease,
    });
  });

  it('reports which release applied an unknown step, if that is recorded', async () => {
    const releases: Migration = { name: '0002-releases', sql: releasesSchema, shutsOutOlder: true };
    await migrate(database.config, [first, releases]);
    await migrate(database.config, [first, releases, { ...second, name: '0003-three' }]);
    expect(await unknownMigrations(client, [first, releases, second])).toEqual([]);
    expect(await unknownMigrations(client, [first, releases])).toEqual([
      { name: '0003-three', shutsOutOlder: false, release },
    ]);
    await client.query(`UPDATE schema_migration SET release = '9.0.0' WHERE number = 2`);
    await expect(migrate(database.config, [first])).rejects.toThrow(
      `A newer release has changed the database (0002-releases of release 9.0.0), and this release, ${release},`,
    );
  });

  it('reports the missing privilege of a role that may not create tables', async () => {
    const role = `weak_${database.config.database.replaceAll(/\W/g, '_')}`;
    await client.query(`CREATE ROLE ${role} LOGIN`);
    const weak = { ...database.config, user: role };
    await expect(migrate(weak, [first])).rejects.toMatchObject({
      name: 'OperatorError',
      message: expect.stringContaining('permission denied for schema public'),
      mend: expect.stringContaining('ALTER DATABASE name OWNER TO role'),
    });
    await client.query(`ALTER DATABASE "${database.config.database}" OWNER TO ${role}`);
    expect(await migrate(weak, [first])).toEqual(['0001-one']);
  });

  it('waits for a lock held by another session, a second at a time', async () => {
    await migrate(database.config, [first]);
    await client.query('BEGIN; LOCK TABLE one');
    const migrating = migrate(database.config, [first, second]);
    const watcher = new Client(database.config);
    await watcher.connect();
    await expect
      .poll(
        async () =>
          (await watcher.query("SELECT FROM pg_locks WHERE relation = 'one'::regclass AND NOT granted")).rowCount,
      )
      .toBe(1);
    await client.query('ROLLBACK');
    expect(await migrating).toEqual(['0002-two']);
    await watcher.end();
  });

  it('prints equivalent statements', async () => {
    await client.query(printMigrations([first, second], [first, second]));
    expect(await migrate(database.config, [first, second])).toEqual([]);
    expect((await client.query('SELECT * FROM one')).rows).toEqual([{ n: 1, m: null }]);
  });

  it('has migrations whose names are in order, and that run on an empty database', async () => {
    const names = migrations.map(({ name }) => name);
    for (const name of names) expect(name).toMatch(/^\d{4}-[a-z-]+$/);
    const numbers = names.map((name) => Number(name.slice(0, 4)));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(await migrate(database.config, migrations)).toEqual(names);
  });
});
