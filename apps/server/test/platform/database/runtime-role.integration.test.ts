/** The service as a role without rights to change tables, or what the audit log has; the owner migrates. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkRole } from '../../../src/cli/doctor/check-database.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { migrations } from '../../../src/migrations.ts';
import { dropEventRanges } from '../../../src/records/event-ranges/event-ranges.ts';
import { patience } from '../../../../../tools/testing/patience.ts';
import { consoleKit, type ConsoleKit } from '../../console/support/console-kit.ts';
import { fillInstallation, run } from '../../sealed/fill-installation.ts';
import { makeInstallation } from '../../support/installation.ts';
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts';
import { ringfence, type Said } from '../../support/terminal.ts';

let admin: Client;
let database: TestDatabase;
let owner: string;
let runtime: string;
let folder: string;
let granted: Said;
let kit: ConsoleKit | undefined;

function as(role: string): TestDatabase {
  // The address of a socket is no URL for `URL`.
  const url = database.url.replace(/^postgres(?:ql)?:\/\/[^@/]*@/, `postgresql://${role}@`);
  return { ...database, config: { ...database.config, user: role }, url };
}

function command(line: string, role: string): Promise<Said> {
  return ringfence(line, { environment: { DATABASE_URL: as(role).url }, folder });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-role-'));
  database = await freshDatabase();
  const suffix = database.config.database.replaceAll(/\W/g, '_');
  [owner, runtime] = [`owner_${suffix}`, `app_${suffix}`];
  admin = new Client(database.config);
  await admin.connect();
  await admin.query(`create role ${owner} login; create role ${runtime} login`);
  await admin.query(`alter database "${database.config.database}" owner to ${owner}`);
});
afterAll(async () => {
  await kit?.close();
  await admin.end();
  rmSync(folder, { recursive: true, force: true });
});

describe('before the owner has migrated', () => {
  it('the service says which command to run', async () => {
    await expect(migrate(as(runtime).config, migrations)).rejects.toMatchObject({
      name: 'OperatorError',
      mend: expect.stringContaining('Run `ringfence migrate` with the owner of the database in DATABASE_URL.'),
    });
  });

  it('a role that is not there, or has the owner’s rights anyway, is refused as the role of the service', async () => {
    const grant = async (role: string): Promise<string> => (await command(`migrate --runtime-role ${role}`, owner)).err;
    expect(await grant('no_such_role')).toContain('There is no role no_such_role');
    expect(await grant(owner)).toContain('has the rights of the owner');
    expect(await grant(database.config.user)).toContain('has the rights of the owner');
  });
});

describe('after that', () => {
  beforeAll(async () => {
    granted = await command(`migrate --runtime-role ${runtime}`, owner);
    kit = await consoleKit(await makeInstallation(as(runtime)));
    // Ranges are full soon: the service makes many.
    await kit.pool.query(`update log_partition set range_records = 4`);
    await fillInstallation(kit, folder);
  }, patience.timeout * 4);

  it('everything that a service and its commands do works, and ranges of log and events are made and dropped', async () => {
    expect(granted).toMatchObject({ code: 0, err: '' });
    expect(granted.out).toContain(`${runtime} may run the service.`);
    const { pool, log, workspace } = kit!;
    expect((await pool.query(`select current_user as role`)).rows).toEqual([{ role: runtime }]);
    expect(await migrate(as(runtime).config, migrations)).toEqual([]);
    const { end } = await log.head(workspace.id);
    expect(end).toBeGreaterThan(12);
    expect(await log.dropBefore(workspace.id, 8)).toBe(8);
    expect(await dropEventRanges(pool, workspace.id, 8)).toBeGreaterThan(0);
    const { rows } = await pool.query<{ owner: string }>(
      `select distinct tableowner as owner from pg_tables where tablename ~ '^(log|event)_\\d+_\\d+'`,
    );
    expect(rows).toEqual([{ owner }]);
    expect((await run(kit!, folder, 'audit verify')).out).toContain('none was changed');
    expect(await checkRole(pool)).toEqual([]);
  });

  it.each([
    [`update audit_entry set actor = 'nobody'`, 'permission denied for table audit_entry'],
    [`delete from audit_entry`, 'permission denied for table audit_entry'],
    [`delete from noticed_change`, 'permission denied for table noticed_change'],
    [`truncate audit_entry`, 'permission denied for table audit_entry'],
    [`delete from audit_head`, 'permission denied for table audit_head'],
    [`delete from audit_key`, 'permission denied for table audit_key'],
    [`alter table audit_entry disable trigger all`, 'must be owner of table audit_entry'],
    [`create table mine (n integer)`, 'permission denied for schema public'],
    [`create function mine() returns void language sql as ''`, 'permission denied for schema public'],
    [`drop table audit_entry`, 'must be owner of table audit_entry'],
    [`drop table event`, 'must be owner of table event'],
    [`alter table workspace add column mine integer`, 'must be owner of table workspace'],
    [`update schema_migration set hash = ''`, 'permission denied for table schema_migration'],
    [`select log_make_range(1, 1000)`, 'range 1000 is not one of partition 1'],
    [`select log_make_range(99, 0)`, 'range 0 is not one of partition 99'],
    [
      `select log_drop_range(number, end_offset / range_records) from log_partition`,
      'is not before the start of the log',
    ],
    [
      `select event_drop_range(p.partition, r.name) from log_partition p, event_ranges_of(p.number) r
        where r.high > p.start_offset limit 1`,
      'is not a range before the start',
    ],
    [`select event_drop_range('x', 'audit_entry')`, 'audit_entry is not a range before the start'],
    [`select event_make_range_at(partition, 1000000) from log_partition`, 'offset 1000000 is not one of workspace'],
    [
      `select event_make_range(partition, number, 100000, 200000) from log_partition`,
      'permission denied for schema public',
    ],
    [`select event_end_carry_over()`, 'relation "event_before" does not exist'],
  ])('the database refuses: %s', async (sql, why) => {
    await expect(kit!.pool.query(sql)).rejects.toThrow(why);
  });

  it('tables of the same name in a schema of the caller are not used by the owner’s functions', async () => {
    const client = await kit!.pool.connect();
    await client.query(
      `create temp table log_partition (number integer, start_offset bigint, end_offset bigint, range_records bigint)`,
    );
    await client.query(`insert into pg_temp.log_partition values (77, 0, 0, 4)`);
    await expect(client.query(`select log_make_range(77, 0)`)).rejects.toThrow('range 0 is not one of partition 77');
    client.release(true);
  });
});
