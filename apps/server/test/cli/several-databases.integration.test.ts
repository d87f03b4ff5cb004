/** Commands over two databases of one installation: the home database, and `north`. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience } from '../../../../tools/testing/patience.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { ringfence, type Said } from '../support/terminal.ts';

const file = 'databases: { north: { url: "${NORTH_DATABASE_URL}" } }\n';
const oldKey = Buffer.alloc(32, 5).toString('base64');
const newKey = Buffer.alloc(32, 6).toString('base64');
const nowhere = 'postgresql://ringfence@127.0.0.1:1/north';
const long = { timeout: patience.timeout };

let folder: string;
let home: TestDatabase;
let north: TestDatabase;

/** A command; what `change` says differs from the usual environment. */
const run = (line: string, change: Readonly<Record<string, string>> = {}, input = ''): Promise<Said> =>
  ringfence(line, {
    folder,
    input,
    environment: {
      DATABASE_URL: home.url,
      NORTH_DATABASE_URL: north.url,
      RINGFENCE_CONFIG: join(folder, 'ringfence.yaml'),
      RINGFENCE_MASTER_KEY: oldKey,
      ...change,
    },
  });

async function json<Answer>(line: string, change?: Readonly<Record<string, string>>): Promise<Answer> {
  const { code, out, err } = await run(`${line} --json`, change);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as Answer;
}

async function rowsOf({ config }: TestDatabase, sql: string): Promise<readonly unknown[]> {
  const client = new Client(config);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ringfence-databases-'));
  mkdirSync(join(folder, 'made'));
  writeFileSync(join(folder, 'ringfence.yaml'), file);
  [home, north] = await Promise.all([freshDatabase(), freshDatabase()]);
}, patience.timeout);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('two databases', () => {
  it('are migrated by one command, each under its name', long, async () => {
    const missing = await run('migrate --check');
    expect(missing.code).toBe(1);
    expect(missing.out).toMatch(/^home:\n\d+ migrations missing:\n[^]*\nnorth:\n\d+ migrations missing:\n/);
    const made = await run('migrate');
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(made.out).toMatch(/^home:\n0001-[^]*\nnorth:\n0001-/);
    expect(await run('migrate --check')).toMatchObject({
      code: 0,
      out: 'home:\nNothing is missing.\nnorth:\nNothing is missing.\n',
    });
  });

  it('hold a workspace each', long, async () => {
    await json('workspace create harbor -e production');
    await json('workspace create pier -e production --database north');
    const listed = await json<readonly { name: string; database: string }[]>('workspace list');
    expect(listed.map(({ name, database }) => [name, database])).toEqual([
      ['harbor', 'home'],
      ['pier', 'north'],
    ]);
  });
});

describe('a license key', () => {
  it('of one database is refused in the other, and doctor finds one that both have', long, async () => {
    const bring = (workspace: string): Promise<Said> =>
      run(`key create --bring -w ${workspace}`, {}, 'a-key-that-the-bank-has-had-for-years');
    expect((await bring('pier')).code).toBe(0);
    const refused = await bring('harbor');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('This key is in use or was revoked.');
    const [{ hash }] = (await rowsOf(home, `select encode(hash, 'hex') as hash from license_key`)) as [
      { readonly hash: string },
    ];
    const [before] = (await rowsOf(north, `select encode(hash, 'hex') as hash, id from license_key where sending`)) as [
      { readonly hash: string; readonly id: string },
    ];
    const setHash = (to: string): Promise<unknown> =>
      rowsOf(north, `update license_key set hash = decode('${to}', 'hex') where id = '${before.id}'`);
    await setHash(hash);
    const { out } = await run('doctor');
    expect(out).toMatch(
      /^FAIL north: workspace pier\/production: its license key \S+ is, or was, a key of harbor\/production too/m,
    );
    expect(out).toContain(`ringfence key revoke ${before.id} -w pier/production`);
    expect(out).not.toContain('workspace harbor/production: its license key');
    await setHash(before.hash);
  });
});

describe('doctor', () => {
  it('examines each, and the others when one is away', long, async () => {
    const all = await run('doctor');
    expect(all.out).toMatch(/^ok {3}database: external, /m);
    expect(all.out).toMatch(/^ok {3}north: database: external, /m);
    expect(all.out).toMatch(/^(?:ok {3}|warn )north: workspace pier\/production: /m);
    const one = await run('doctor', { NORTH_DATABASE_URL: nowhere });
    expect(one.code).toBe(1);
    expect(one.out).toMatch(/^FAIL north: database: /m);
    expect(one.out).toMatch(/^(?:ok {3}|warn )workspace harbor\/production: /m);
    expect(one.out).not.toContain('north: workspace');
  });
});

describe('what is of all databases', () => {
  it('is added up by streams, each as far as it has come in the slowest', long, async () => {
    for (const [database, sent, seconds] of [
      [home, 300, 0],
      [north, 12, 3_600],
    ] as const) {
      await rowsOf(
        database,
        `insert into stream (name, target, interval_ms, began_at, looked_at)
         values ('lake', 'file:///lake', 0, now() - interval '1 day', now() - interval '${seconds} seconds')`,
      );
      await rowsOf(
        database,
        `insert into stream_cursor (stream, workspace_id, kind, position, through, sent)
         select 'lake', id, 'decisions', 0, now(), ${sent} from workspace`,
      );
    }
    expect(await json('streams')).toMatchObject([
      { name: 'lake', isRunning: false, kinds: [{ kind: 'decisions', sent: 312 }] },
    ]);
    expect((await run('streams')).out).toMatch(/^lake +not running +0 s +312 decisions/m);
    expect((await run('streams rewind lake --to now')).code).toBe(0);
  });

  it('is said by log status for each', long, async () => {
    expect(await json('log status')).toMatchObject([
      { database: 'home', newEvents: 'postgres', records: 0 },
      { database: 'north', newEvents: 'postgres', records: 0 },
    ]);
    const { out } = await run('log status');
    const one = 'New events: PostgreSQL.\nIn Kafka: 0 records.\n';
    expect(out).toBe(`Database home\n${one}Database north\n${one}`);
  });
});

describe('a backup', () => {
  it('of one database fills an empty one of that name, and no other', long, async () => {
    const path = join(folder, 'made', 'north.bin');
    const made = await json<{ readonly rows: number }>(`backup ${path} --database north`);
    const said = await run(`backup ${join(folder, 'made', 'home.bin')}`);
    expect(said.out).toContain('Back up the others as well, with --database: north.');
    const empty = await freshDatabase();
    const wrong = await run(`restore ${path}`, { DATABASE_URL: empty.url });
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('is of the database "north", not of "home"') });
    const restored = await json(`restore ${path} --database north`, { NORTH_DATABASE_URL: empty.url });
    expect(restored).toMatchObject({ rows: made.rows });
    const change = { NORTH_DATABASE_URL: empty.url };
    const workspaces = `select * from workspace order by id`;
    const keys = `select * from license_key order by id`;
    for (const sql of [workspaces, keys]) {
      expect(await rowsOf(empty, sql)).toEqual(await rowsOf(north, sql));
    }
    expect((await run('sealed verify', change)).code).toBe(0);
    expect((await run('workspace show pier/production', change)).code).toBe(0);
  });
});

describe('a new master key', () => {
  const keysOf = async (database: TestDatabase): Promise<readonly unknown[]> =>
    rowsOf(
      database,
      `select distinct master_key_id as id from (select master_key_id from workspace_secret
         union all select master_key_id from license_key where sealed is not null) t order by 1`,
    );
  const both = { RINGFENCE_MASTER_KEY: `${oldKey} ${newKey}` };

  it('is not begun while one database is away', long, async () => {
    const before = await keysOf(home);
    const refused = await run('master-key rotate', { ...both, NORTH_DATABASE_URL: nowhere });
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('127.0.0.1:1') });
    expect(await keysOf(home)).toEqual(before);
    const listed = await run('workspace list', { NORTH_DATABASE_URL: nowhere });
    expect(listed.out).toMatch(/^harbor +production +\w+ +home +api[^]*^pier +production +\w+ +north +- /m);
    expect(listed.err).toMatch(/^north: /);
  });

  it('encrypts what is in all of them', long, async () => {
    const before = await keysOf(home);
    expect(await keysOf(north)).toEqual(before);
    expect(await json('master-key rotate', both)).toMatchObject({ workspaces: 2, licenseKeys: 3 });
    const after = await keysOf(home);
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
    expect(await keysOf(north)).toEqual(after);
    const alone = { RINGFENCE_MASTER_KEY: newKey };
    expect((await run('sealed verify', alone)).code).toBe(0);
    for (const name of ['harbor', 'pier']) expect((await run(`workspace show ${name}`, alone)).code).toBe(0);
    expect((await run('workspace list')).code).toBe(1);
  });
});
