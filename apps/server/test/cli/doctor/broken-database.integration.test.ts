/** What doctor says about a broken database or master key: the sentence, and what mends it. */
import { chmodSync } from 'node:fs';
import { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { checkClock } from '../../../src/cli/doctor/check-database.ts';
import { migrations } from '../../../src/migrations.ts';
import { readReachFailure } from '../../../src/platform/database/reach-failure.ts';
import { readStoredObjects, storedObjectsFile } from '../../../src/platform/database/stored-objects.ts';
import { type Complaint, masterKey, newPatient, type Patient } from './support/patient.ts';

const newest = migrations.at(-1)!.name;
const lost = 'The database has the tables of Ringfence, but their list of migrations, schema_migration, lacks';
const restoreList =
  'Restore that table from a backup of this database, or start with the last whole backup. Nothing was changed.';
const restore = 'Restore the last backup: what was in it cannot be made again.';

it('a whole installation has all that the release expects, which the file says', async () => {
  const patient = await newPatient();
  const pool = new Pool(patient.database.config);
  const text = `${JSON.stringify(await readStoredObjects(pool), null, 2)}\n`;
  await pool.end();
  await expect(text).toMatchFileSnapshot(storedObjectsFile);
  expect(await patient.complaints()).toEqual([]);
});

describe('the tables', () => {
  it.each<{ readonly broken: string; readonly says: Complaint }>([
    {
      broken: 'drop table client_note cascade',
      says: ['tables', 'bad', 'the table client_note is gone', restore],
    },
    {
      broken: 'alter table client_note drop column author cascade',
      says: ['tables', 'bad', 'the column author of the table client_note is gone', restore],
    },
    {
      broken: 'drop index action_held',
      says: [
        'tables',
        'bad',
        'the index action_held is gone',
        "Make it again, while few events come: CREATE INDEX action_held ON action USING btree (workspace_id, seq) WHERE (state = 'held'::text)",
      ],
    },
    {
      broken: `update pg_index set indisvalid = false where indexrelid = 'action_held'::regclass`,
      says: [
        'tables',
        'bad',
        'the index action_held is not valid: queries do not use it',
        'Build it again, beside the running service: REINDEX INDEX CONCURRENTLY action_held',
      ],
    },
    {
      broken: `create index action_held_ccnew on action (seq);
        update pg_index set indisvalid = false where indexrelid = 'action_held_ccnew'::regclass`,
      says: [
        'tables',
        'bad',
        'the index action_held_ccnew is not valid: queries do not use it',
        'Drop it, it is left of a statement that failed: DROP INDEX CONCURRENTLY action_held_ccnew',
      ],
    },
    {
      broken: 'delete from schema_migration',
      says: ['database', 'bad', `${lost} all rows.`, restoreList],
    },
    {
      broken: 'delete from schema_migration where number = 9',
      says: ['database', 'bad', `${lost} 0009-retention.`, restoreList],
    },
    {
      broken: 'drop table schema_migration',
      says: ['database', 'bad', `${lost} all rows.`, restoreList],
    },
    {
      broken: `delete from schema_migration where name = '${newest}'`,
      says: [
        'database',
        'bad',
        expect.stringMatching(
          new RegExp(`^The database \\(.*\\) is of an older release\\. Missing migrations: ${newest}\\.$`),
        ),
        'Start the service, which migrates it, or run: ringfence migrate',
      ],
    },
    {
      broken: `update schema_migration set hash = '\\x00' where number = 1`,
      says: [
        'database',
        'bad',
        'The database has the migration 0001-log; this release has a different text for it, or has 0001-log instead.',
        'Use the database with the release that created it. A migration is never changed after its release.',
      ],
    },
    {
      broken: `insert into schema_migration values (9999, '9999-future', '\\x00', true, now(), '9.0.0')`,
      says: [
        'database',
        'bad',
        expect.stringContaining('A newer release has changed the database (9999-future of release 9.0.0)'),
        expect.stringContaining('Start the newer release again'),
      ],
    },
    {
      broken: `insert into schema_migration values (9999, '9999-future', '\\x00', false, now(), '9.0.0')`,
      says: [
        'tables',
        'unwise',
        'of a newer release (9999-future of release 9.0.0) that this release can work with',
        'Start the newer release, unless you rolled back the upgrade on purpose.',
      ],
    },
    {
      broken: 'create table event_before (id int)',
      says: [
        'events',
        'unwise',
        'about 0 are still in the tables of an earlier release',
        'A running service moves them in the background; until then searches may be slow, and old events are not removed. If the number does not fall, its log shows why.',
      ],
    },
  ])('$broken', async ({ broken, says }) => {
    const patient = await newPatient();
    await patient.run('workspace create acme -e development');
    const before = await patient.complaints();
    await patient.sql(broken);
    const after = await patient.complaints();
    expect(after.filter((one) => !before.some((other) => other[2] === one[2]))).toEqual([says]);
  });

  it.each([
    ['one row in the middle is', 'where number = 9', '0009-retention'],
    ['all rows are', '', 'all rows'],
    ['the last row is', `where name = '${newest}'`, newest],
  ])('are not migrated again when of their list %s gone: a start says why', async (_, where, lacks) => {
    const patient = await newPatient();
    await patient.sql(`delete from schema_migration ${where}`);
    expect(await patient.attempt('migrate')).toEqual({ code: 1, out: '', err: `${lost} ${lacks}.\n${restoreList}\n` });
  });
});

async function asRole(patient: Patient, options: string, grants: readonly string[] = []): Promise<string> {
  const role = `limited_${patient.database.config.database}`;
  await patient.sql(`create role ${role} login ${options}`);
  for (const grant of grants) await patient.sql(grant.replace('ROLE', role));
  return role;
}

function urlAs({ database }: Patient, role: string): string {
  return database.url.replace(`//${database.config.user}@`, `//${role}@`);
}

describe('the connection', () => {
  it('is of a role that may not create tables', async () => {
    const patient = await newPatient();
    const role = await asRole(patient, '', [
      'grant select, insert, update, delete on all tables in schema public to ROLE',
      'revoke create on schema public from public',
    ]);
    expect(await patient.complaints('doctor', { DATABASE_URL: urlAs(patient, role) })).toEqual([
      [
        'role',
        'bad',
        `the role ${role} may not create tables in the schema public: events are refused as the log grows`,
        `As the owner of the database: ringfence migrate --runtime-role ${role}`,
      ],
    ]);
  });

  it('is of a role that has all connections that it may have', async () => {
    const patient = await newPatient();
    const role = await asRole(patient, 'connection limit 0');
    expect(await patient.complaints('doctor', { DATABASE_URL: urlAs(patient, role) })).toEqual([
      [
        'database',
        'bad',
        expect.stringContaining(`too many connections for role "${role}"`),
        'All its connections are in use: close others, or raise max_connections or the limit of the role or the database.',
      ],
    ]);
  });

  it.each<{ readonly name: string; readonly url: (right: string) => string; readonly says: Complaint }>([
    {
      name: 'leads nowhere',
      url: () => 'postgresql://127.0.0.1:1/ringfence',
      says: [
        'database',
        'bad',
        expect.stringContaining('ECONNREFUSED'),
        expect.stringContaining('Check that it is running'),
      ],
    },
    {
      name: 'names a database that does not exist',
      url: (right) => right.replace('?', '_of_another?'),
      says: [
        'database',
        'bad',
        expect.stringContaining('does not exist'),
        expect.stringContaining('Check that it is running'),
      ],
    },
    {
      name: 'wants TLS of a server without it',
      url: (right) => `${right}&sslmode=require`,
      says: [
        'database',
        'bad',
        expect.stringContaining('it does not speak TLS, which DATABASE_URL requires by sslmode or sslrootcert'),
        expect.stringContaining('Enable TLS on the server'),
      ],
    },
  ])('$name', async ({ url, says }) => {
    const patient = await newPatient();
    expect(await patient.complaints('doctor', { DATABASE_URL: url(patient.database.url) })).toEqual([says]);
  });

  it.each([
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'its certificate is not signed by a trusted authority',
      'Set sslrootcert in DATABASE_URL',
    ],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate is for other names', 'Use the host name of the certificate'],
    [
      'CERT_HAS_EXPIRED',
      'its certificate, or that of an authority above it, is not valid now',
      'Renew it, or set the clock',
    ],
  ])('meets a certificate with %s', (code, reason, mend) => {
    expect(readReachFailure({ code, message: 'of the driver' })).toMatchObject({
      reason: expect.stringContaining(reason),
      mend: expect.stringContaining(mend),
      mayPass: false,
    });
  });

  it('is empty: nothing was migrated yet', async () => {
    const patient = await newPatient();
    const empty = `${patient.database.config.database}_empty`;
    await patient.sql(`create database ${empty}`);
    const url = patient.database.url.replace(patient.database.config.database, empty);
    expect(await patient.complaints('doctor', { DATABASE_URL: url })).toEqual([
      [
        'database',
        'bad',
        expect.stringMatching(/^The database \(.*\) is empty\.$/),
        'Start the service, which migrates it, or run: ringfence migrate',
      ],
    ]);
  });

  it('does not wait for the disk', async () => {
    const patient = await newPatient();
    await patient.sql(`alter database "${patient.database.config.database}" set synchronous_commit = off`);
    expect(await patient.complaints()).toContainEqual([
      'database',
      'bad',
      'This database would lose accepted events: synchronous_commit is off: a crash loses the last commits although they were confirmed.',
      'Use PostgreSQL 15 or newer with fsync, full_page_writes and synchronous_commit on, for the role and the database as well.',
    ]);
  });

  it.each([
    [60_000, 'bad', 'ahead of'],
    [-60_000, 'bad', 'behind'],
    [3_000, 'unwise', 'ahead of'],
  ])('has a clock that is %d ms off', async (offMs, state, which) => {
    const patient = await newPatient();
    const pool = new Pool(patient.database.config);
    const finding = await checkClock(pool, { now: () => Date.now() + offMs });
    await pool.end();
    expect(finding).toEqual({
      what: 'clock',
      state,
      detail: expect.stringMatching(new RegExp(`^\\d+ ms ${which} the database’s$`)),
      mend: 'Synchronize both clocks by NTP: sessions, deadlines and signatures depend on them.',
    });
  });
});

describe('the master key', () => {
  const restoreKey = 'Restore your copy of the key: what is sealed under it cannot be read with another one.';
  const unusable = (where: string, found: string): Complaint => [
    'installation',
    'bad',
    `${where} is not a master key: expected 32 bytes as 64 hex digits or 44 characters of base64, found ${found} characters.`,
    restoreKey,
  ];

  it('is cut, in the environment', async () => {
    const patient = await newPatient();
    const environment = { RINGFENCE_MASTER_KEY: masterKey.slice(0, 20) };
    expect(await patient.complaints('doctor', environment)).toEqual([unusable('RINGFENCE_MASTER_KEY', '20')]);
  });

  it.each([
    ['cut', masterKey.slice(0, 30), '30'],
    ['emptied', '', '0'],
    ['damaged in one letter', masterKey.replace('B', '!'), '44'],
  ])('is %s, in its file', async (_, text, found) => {
    const patient = await newPatient();
    const path = patient.write('home/secrets/master.key', text);
    expect(await patient.complaints('doctor', { RINGFENCE_MASTER_KEY: '' })).toEqual([unusable(path, found)]);
  });

  it('can be read by others', async () => {
    const patient = await newPatient();
    const path = patient.write('home/secrets/master.key', masterKey);
    chmodSync(path, 0o644);
    expect(await patient.complaints('doctor', { RINGFENCE_MASTER_KEY: '' })).toEqual([
      [
        'installation',
        'bad',
        `${path} can be read by others (mode 0644).`,
        `Run: chmod 600 ${path}. If anyone else may have read it, replace the secret.`,
      ],
    ]);
  });

  it('is missing', async () => {
    const patient = await newPatient();
    expect(await patient.complaints('doctor', { RINGFENCE_MASTER_KEY: '' })).toEqual([
      [
        'installation',
        'bad',
        `There is no master key: RINGFENCE_MASTER_KEY is not set, and ${patient.home}/secrets/master.key does not exist.`,
        'Set RINGFENCE_MASTER_KEY to the value that the service uses, or pass its home with --home.',
      ],
    ]);
  });

  it('differs between two services on one database', async () => {
    const patient = await newPatient();
    await patient.run('workspace create acme -e development');
    const other = { RINGFENCE_MASTER_KEY: Buffer.alloc(32, 6).toString('base64') };
    expect(await patient.complaints('doctor', other)).toEqual([
      [
        'installation',
        'bad',
        expect.stringMatching(
          /^The master key in RINGFENCE_MASTER_KEY \(id \w+\) is not the one that sealed this database/,
        ),
        'Provide the key that this database was created with, or the database that belongs to this key. Without it nothing can be decrypted.',
      ],
    ]);
  });
});
