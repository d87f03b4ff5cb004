import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpochMs } from '@ringfence/contract';
import { type LogRecord, PostgresLog } from '@ringfence/log';
import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BackupDamagedError } from '../../../src/platform/database/backup/frames.ts';
import { restoreBackup } from '../../../src/platform/database/backup/restore-backup.ts';
import { writeBackup } from '../../../src/platform/database/backup/write-backup.ts';
import { makePool } from '../../../src/platform/database/database.ts';
import { appendAudit } from '../../../src/access/audit/audit-log.ts';
import { verifyAudit } from '../../../src/access/audit/verify-audit.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { migrations } from '../../../src/migrations.ts';
import { EventRanges } from '../../../src/records/event-ranges/event-ranges.ts';
import { OperatorError } from '../../../src/platform/observability/operator-error.ts';
import { verifyMasterKeys } from '../../../src/platform/secrets/sealing-key.ts';
import { testMasterKeys } from '../../support/installation.ts';
import { freshDatabase, type TestDatabase } from '../../support/postgres.ts';

const rangeRecords = 50;
const master = testMasterKeys();
const madeAt = new Date('2030-05-06T07:08:09Z');
const clock = (): EpochMs => 1_800_000_000_000 as EpochMs;
const nowSeconds = 1_800_000_000;

interface Site {
  readonly database: TestDatabase;
  readonly pool: Pool;
  readonly log: PostgresLog;
}

async function openSite(): Promise<Site> {
  const database = await freshDatabase();
  const pool = makePool(database.config, 4);
  return { database, pool, log: new PostgresLog({ connection: { ...database.config }, pool, clock, rangeRecords }) };
}

async function closeSite({ log, pool }: Site): Promise<void> {
  await log.close();
  await pool.end();
}

describe('backup and restore', () => {
  let folder: string;
  let file: string;
  let site: Site;
  let restored: Site;

  beforeAll(async () => {
    site = await openSite();
    await migrate(site.database.config, migrations);
    await site.log.createPartition('p');
    const payloads = [Buffer.from('\\.\n\\N\t\0"'), randomBytes(100_000), Buffer.alloc(0)];
    for (let index = 0; index < 180; index += 1) {
      const idempotency = { key: Buffer.from([index]), fingerprint: Buffer.from([1]) };
      await site.log.append('p', { kind: 'operation', payload: payloads[index % 3]!, idempotency });
    }
    await site.log.dropBefore('p', rangeRecords);
    await new EventRanges('p').make(site.pool, [60, 120]);
    await site.pool.query(`
      INSERT INTO event (workspace_id, "offset", epoch, kind, logged_at, status, ip)
      SELECT 'p', o, 1, 'login', now(), 'decided', 'x' FROM generate_series(60, 120) o;
      INSERT INTO workspace (id, name, environment, settings_owner, keys_owner, policy_owner, settings)
      VALUES ('abcdefgh', 'a "name" \\ with' || chr(10) || 'lines', 'production', 'api', 'api', 'api', '{"timezone": "UTC"}');
      INSERT INTO erasure (workspace_id, subject) VALUES ('abcdefgh', 'one'), ('abcdefgh', 'two');
    `);
  });
  afterAll(() => closeSite(site));

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ringfence-backup-'));
    file = join(folder, 'today.backup');
    restored = await openSite();
  });
  afterEach(async () => {
    await closeSite(restored);
    await rm(folder, { recursive: true });
  });

  const back = () => writeBackup({ connection: site.database.config, file, release: '1.2.3', now: madeAt });
  const restore = () => restoreBackup({ connection: restored.database.config, file, migrations, nowSeconds });

  it('restore the audit log as one unchanged chain that can be continued', async () => {
    const entry = {
      atMs: 0,
      workspaceId: undefined,
      actorKind: 'machine',
      actor: 'admin token',
      target: undefined,
    } as const;
    const change = { ...entry, action: 'createKey', address: '192.0.2.1', requestId: '', detail: { after: 1 } };
    await verifyMasterKeys(site.pool, master);
    for (let i = 0; i < 3; i++) await appendAudit(site.pool, master, change);
    const { head } = await verifyAudit(site.pool, master);
    await back();
    await restore();
    expect(await verifyAudit(restored.pool, master)).toEqual({ entries: 3, head, broken: undefined });
    await appendAudit(restored.pool, master, change);
    expect(await verifyAudit(restored.pool, master)).toMatchObject({ entries: 4, broken: undefined });
    await expect(restored.pool.query(`truncate audit_entry`)).rejects.toThrow('append-only');
    await expect(restored.pool.query(`delete from audit_entry`)).rejects.toThrow('append-only');
  });
  const recordsOf = (of: Site): Promise<readonly LogRecord[]> => of.log.read('p', 0, 10_000);

  it('restore every row of every table, and an identical log that continues in a new epoch', async () => {
    const written = await back();
    const done = await restore();
    expect(done).toMatchObject({ tables: written.tables, rows: written.rows });
    expect(done.manifest).toMatchObject({
      madeAt: madeAt.toISOString(),
      release: '1.2.3',
      migrations: { length: migrations.length },
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const before = await site.log.head('p');
    expect(await recordsOf(restored)).toEqual(await recordsOf(site));
    expect(await restored.log.head('p')).toEqual({
      ...before,
      epoch: before.epoch + 1,
      generation: before.epoch * 1_000,
    });
    for (const query of [
      'SELECT * FROM workspace',
      'SELECT * FROM erasure ORDER BY id',
      'SELECT * FROM workspace_change',
    ]) {
      expect((await restored.pool.query(query)).rows).toEqual((await site.pool.query(query)).rows);
    }

    const key = { key: Buffer.from([179]), fingerprint: Buffer.from([1]) };
    const retried = await restored.log.append('p', { kind: 'operation', payload: Buffer.alloc(1), idempotency: key });
    expect(retried).toMatchObject({ offset: before.end, epoch: before.epoch + 1, retryOf: 179 });
    const next = await restored.pool.query<{ id: number }>(
      `INSERT INTO erasure (workspace_id, subject) VALUES ('abcdefgh', 'three') RETURNING id`,
    );
    expect(next.rows).toEqual([{ id: 3 }]);
    expect(await migrate(restored.database.config, migrations)).toEqual([]);
  });

  it('use one snapshot while the service keeps writing', async () => {
    const stop = new AbortController();
    const appending = (async () => {
      while (!stop.signal.aborted) await site.log.append('p', { kind: 'operation', payload: Buffer.from('later') });
    })();
    await back();
    stop.abort();
    await appending;
    await restore();
    const records = await recordsOf(restored);
    const head = await restored.log.head('p');
    expect(records).toHaveLength(head.end - head.start);
    expect(records).toEqual((await recordsOf(site)).slice(0, records.length));
  });

  it('migrate an older backup to the schema of this release', async () => {
    await back();
    const more = [...migrations, { name: '9999-more', sql: 'ALTER TABLE workspace ADD COLUMN more integer DEFAULT 5' }];
    await restoreBackup({ connection: restored.database.config, file, migrations: more, nowSeconds });
    expect((await restored.pool.query('SELECT more FROM workspace')).rows).toEqual([{ more: 5 }]);
    expect(await migrate(restored.database.config, more)).toEqual([]);
  });

  it('refuse a database that is not empty, and a backup from a newer release', async () => {
    await back();
    const older = migrations.slice(0, -1);
    const newer = restoreBackup({ connection: restored.database.config, file, migrations: older, nowSeconds });
    await expect(newer).rejects.toThrow(OperatorError);
    await restore();
    await expect(restore()).rejects.toThrow('The database is not empty');
  });

  it('refuse a damaged or truncated backup, and leave the database empty', async () => {
    await back();
    const whole = await readFile(file);
    const damaged = Buffer.from(whole);
    const middle = Math.floor(whole.byteLength / 2);
    damaged.writeUInt8(damaged.readUInt8(middle) ^ 1, middle);
    for (const bytes of [damaged, whole.subarray(0, -100), whole.subarray(0, 10), Buffer.from('nothing')]) {
      await writeFile(file, bytes);
      await expect(restore()).rejects.toThrow(BackupDamagedError);
      expect((await restored.pool.query("SELECT FROM pg_class WHERE relname = 'workspace'")).rowCount).toBe(0);
    }
    await writeFile(file, whole);
    await restore();
  });

  it('leave no file behind when the backup fails', async () => {
    const nowhere = writeBackup({
      connection: restored.database.config,
      file,
      release: '1.2.3',
      now: madeAt,
    });
    await expect(nowhere).rejects.toThrow('The database is empty');
    expect(await readdir(folder)).toEqual([]);
  });
});
