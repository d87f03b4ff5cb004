/** The commands on a real database, without a running service. */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { starterPolicyFolder } from '../../src/config/first-start.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { ringfence, type Said } from '../support/terminal.ts';

const masterKey = Buffer.alloc(32, 5).toString('base64');
let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await freshDatabase();
  folder = mkdtempSync(join(tmpdir(), 'ringfence-cli-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(line: string | readonly string[], input = '', url = database.url): Promise<Said> {
  // No service answers on port 1, so doctor does not query one that happens to run on this machine.
  const environment = { DATABASE_URL: url, RINGFENCE_MASTER_KEY: masterKey, USER: 'maria', MANAGEMENT_PORT: '1' };
  return ringfence(line, { environment, folder, input });
}

async function json<Result>(line: string, input = ''): Promise<Result> {
  const { code, out, err } = await run(`${line} --json`, input);
  expect(err).toBe('');
  expect(code).toBe(0);
  return JSON.parse(out) as Result;
}

/** One row of the database. */
async function rows(text: string): Promise<readonly Record<string, unknown>[]> {
  const pool = new Pool(database.config);
  const found = await pool.query<Record<string, unknown>>(text);
  await pool.end();
  return found.rows;
}

describe('migrate', () => {
  it('--check lists missing migrations and exits with 1; without it they are applied', async () => {
    expect(await run('key list')).toMatchObject({ code: 1, err: expect.stringContaining('is empty') });
    const before = await run('migrate --check');
    expect(before).toMatchObject({ code: 1, out: expect.stringContaining('0001-log') });
    expect((await run('migrate --print')).out).toContain('CREATE TABLE log_partition');
    expect(await run('migrate')).toMatchObject({ code: 0 });
    expect(await run('migrate --check')).toMatchObject({ code: 0, out: 'Nothing is missing.\n' });
  });
});

describe('workspace', () => {
  it('create shows the key once; list and show never do', async () => {
    const made = await run('workspace create acme -e production timezone=America/Lima channel.1=App');
    expect(made.code).toBe(0);
    const key = /rf_live_\w+/.exec(made.out)![0];
    const seen = [await run('workspace list'), await run('workspace show acme'), await run('key list -w acme')];
    expect(seen.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(seen.map(({ out }) => out).join()).not.toContain(key);
    expect(JSON.parse(seen[1]!.out)).toMatchObject({
      name: 'acme',
      settings: { timezone: 'America/Lima' },
      channels: [{ id: 1, name: 'App' }],
    });
  });

  it('set changes the named settings', async () => {
    writeFileSync(join(folder, 'proxy.txt'), 'http://user:hunter2@proxy.example:3128');
    expect(
      await run('workspace set acme webhook.url=https://bank.example/hook webhook.proxy=@proxy.txt'),
    ).toMatchObject({ code: 0 });
    const shown = await run('workspace show acme');
    expect(shown.out).toContain('http://[set]@proxy.example:3128');
    expect(shown.out).not.toContain('hunter2');
  });

  it('is found by name, by name and environment, by id, or because it is the only one', async () => {
    const [first] = await json<{ id: string }[]>('workspace list');
    for (const meant of ['acme', 'acme/production', first!.id])
      expect((await run(`key list -w ${meant}`)).code).toBe(0);
    expect((await run('key list')).code).toBe(0);
    await run('workspace create acme -e development');
    expect(await run('key list -w acme')).toMatchObject({
      code: 1,
      err: expect.stringContaining('acme/development, acme/production'),
    });
    expect(await run('key list -w acmme/production')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Did you mean "acme/production"?'),
    });
  });
});

describe('device-key', () => {
  interface Set {
    readonly keys: readonly { readonly kid: string; readonly d?: string }[];
  }

  it('rotate keeps two decrypting keys, and only one with --alone', async () => {
    const first = await json<Set>('device-key list -w acme/production');
    expect(first.keys).toHaveLength(1);
    const second = await json<Set>('device-key rotate -w acme/production');
    expect(second.keys.slice(1)).toEqual(first.keys);
    expect((await run('device-key list -w acme/production')).out).toMatch(/used by pages\n.*decrypts only\n/);
    const alone = await json<Set>('device-key rotate --alone -w acme/production');
    expect(alone.keys).toHaveLength(1);
    expect([...second.keys, ...alone.keys].some(({ d }) => d !== undefined)).toBe(false);
  });
});

describe('key', () => {
  it('is rotated by create, promote and revoke', async () => {
    const made = await json<{ id: string; key: string }>('key create -w acme/production');
    expect(made.key).toMatch(/^rf_live_/);
    await json(`key promote ${made.id} -w acme/production`);
    const [old] = await json<{ id: string; state: string }[]>('key list -w acme/production');
    expect(old).toMatchObject({ state: 'live' });
    expect(await run(`key revoke ${made.id} -w acme/production`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Promote another key first'),
    });
    await json(`key revoke ${old!.id} -w acme/production`);
    const states = await json<{ state: string }[]>('key list -w acme/production');
    expect(states.map(({ state }) => state)).toEqual(['revoked', 'sent']);
  });

  it('create reports whether webhooks carry the key, which they do if no other key is sent', async () => {
    const promote = /To send it with webhooks: ringfence key promote key_\w+ -w acme\/development/;
    const second = await run('key create -w acme/development');
    expect(second.out).toMatch(promote);
    const keys = await json<{ id: string }[]>('key list -w acme/development');
    for (const { id } of keys) await run(`key revoke ${id} -w acme/development --force`);
    const next = await run('key create -w acme/development');
    expect(next.out).toContain('Webhooks now carry it, because no other key was being sent.');
    expect(next.out).not.toMatch(promote);
  });

  it('create --bring reads an existing key from standard input and does not print it', async () => {
    const own = 'the bank’s own key'.replace('’', "'").padEnd(40, '!');
    const made = await run('key create -w acme/production --bring', `${own}\n`);
    expect(made).toMatchObject({ code: 0 });
    expect(made.out).not.toContain(own);
    expect(await run('key create -w acme/development --bring', 'short')).toMatchObject({
      code: 1,
      err: expect.stringContaining('expected 32 to 512 characters'),
    });
  });
});

describe('policy', () => {
  it('check reports every mistake with its position and exits with 1', async () => {
    mkdirSync(join(folder, 'broken'));
    writeFileSync(join(folder, 'broken', 'rules.yaml'), 'rules:\n  - reason: 1\n    nmae: x\n');
    const wrong = await run('policy check broken');
    expect(wrong.code).toBe(1);
    expect(wrong.out).toMatch(/^broken\/rules\.yaml:3:5: .*nmae/m);
    expect(await run(['policy', 'check', starterPolicyFolder])).toMatchObject({
      code: 0,
      out: expect.stringContaining('24 rules'),
    });
  });

  it('check counts ratios among the features', async () => {
    mkdirSync(join(folder, 'ratio'));
    writeFileSync(
      join(folder, 'ratio', 'rules.yaml'),
      `features:
  spent: { sum: order.amount, by: client.id, over: 1d }
  usual: { avg: order.amount, by: client.id, over: 30d }
  share: { ratio: spent, to: usual }
rules:
  - { reason: 1, name: Large, when: share > 3.0, then: { action: 2 } }
`,
    );
    expect((await run('policy check ratio')).out).toBe('1 rule, 3 features, 0 tests: no mistakes.\n');
  });

  it('test runs the tests and shows the differences', async () => {
    expect(await run(['policy', 'test', starterPolicyFolder])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+ passed, 0 failed$/m),
    });
    mkdirSync(join(folder, 'failing'));
    writeFileSync(
      join(folder, 'failing', 'rules.yaml'),
      `rules:
  - { reason: 1, name: Large, on: [operation], when: order.amount > 1000, then: { action: 2, message: Stop } }
tests:
  - name: a small one fires
    given: [{ at: +0s, operation: { channelId: 1, account: { client: a }, order: { amount: 5, currency: EUR } } }]
    expect: [{ reason: 1 }]
`,
    );
    const failed = await run('policy test failing');
    expect(failed.code).toBe(1);
    expect(failed.out).toContain('failing/rules.yaml:4: a small one fires\n    expected rule 1: it never fired; at ');
    expect(failed.out).toContain('No test fires rule 1.\n0 passed, 1 failed\n');
  });

  it('test does not check the coverage of shadow rules from a pack, and says so', async () => {
    cpSync(starterPolicyFolder, join(folder, 'with-pack'), { recursive: true });
    expect(await run('policy pack add account-takeover with-pack --shadow')).toMatchObject({ code: 0 });
    const tested = await run('policy test with-pack');
    expect(tested.code).toBe(0);
    expect(tested.out).toMatch(
      /^Not checked for coverage: 10 rules from packs, which have their own tests\.\n\d+ passed, 0 failed\n$/,
    );
  });

  it('apply stores and activates a version, unless a test fails', async () => {
    const apply = ['policy', 'apply', starterPolicyFolder, '-w', 'acme/production', '--comment', 'first'];
    expect(await run(apply)).toMatchObject({ code: 0, out: expect.stringContaining('Version 1 is now active') });
    expect(await run(apply)).toMatchObject({ code: 0, out: expect.stringContaining('already') });
    expect(await run('policy apply failing -w acme/production')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing was applied.'),
    });
    expect(await run('policy apply failing -w acme/production --untested')).toMatchObject({ code: 0 });
    await json('policy activate 1 -w acme/production');
    expect(await json('policy list -w acme/production')).toMatchObject([
      { version: 2, active: false, author: 'maria' },
      { version: 1, active: true, comment: 'first' },
    ]);
  });
});

describe('pepper and webhook secret', () => {
  it('the exported and imported pepper are equal', async () => {
    const { pepper } = await json<{ pepper: string }>('pepper export -w acme/production');
    expect(Buffer.from(pepper, 'base64')).toHaveLength(32);
    await json('pepper import -w acme/development --yes', `${Buffer.from(pepper, 'base64').toString('hex')}\n`);
    expect(await json('pepper export -w acme/development')).toEqual({ pepper });
    expect(await run('pepper import -w acme/development --yes', 'c2hvcnQ=')).toMatchObject({
      code: 1,
      err: expect.stringContaining('32 to 128 bytes'),
    });
    expect((await run('webhook secret -w acme/production')).out).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  });
});

describe('webhook secret', () => {
  const all = '-w acme/production';
  const secret = (): Promise<{ secret: string; beforeUntil?: string }> => json(`webhook secret ${all}`);

  it('rotate makes both secrets sign until the previous one is retired', async () => {
    const { secret: first } = await secret();
    const rotated = await run(`webhook rotate-secret ${all}`);
    expect(rotated).toMatchObject({ code: 0, out: expect.stringMatching(/retire-secret -w acme\/production\n$/) });
    const shown = await run(`webhook secret ${all}`);
    expect(shown.err).toMatch(/^The previous secret also signs, until \d{4}-/);
    expect(rotated.out).toContain(shown.out);
    expect(shown.out).not.toContain(first);
    expect(await run(`webhook rotate-secret ${all}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Two secrets already sign'),
    });
    expect(await json(`webhook retire-secret ${all}`)).toEqual({ retired: true });
    expect(await json(`webhook retire-secret ${all}`)).toEqual({ retired: false });
    expect(await secret()).toEqual({ secret: shown.out.trim() });
  });

  it('rotate --overlap-hours 0 replaces a leaked secret immediately', async () => {
    const rotated = await json<{ secret: string }>(`webhook rotate-secret ${all} --overlap-hours 0`);
    expect(await secret()).toEqual(rotated);
    expect(await run(`webhook rotate-secret ${all} --overlap-hours 1000`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('from 0 to 336, found "1000"'),
    });
  });
});

describe('deliveries', () => {
  it('pause and resume work for all workspaces or for one', async () => {
    await json('deliveries pause');
    await json('deliveries pause -w acme/production');
    expect((await run('doctor')).out).toContain('all deliveries are paused');
    await json('deliveries resume -w acme/production');
    await json('deliveries resume');
    expect((await run('doctor')).out).toContain('nothing is paused');
  });

  it('list and redeliver work without any actions', async () => {
    expect(await json('deliveries list -w acme/production')).toEqual([]);
    expect(await json('deliveries redeliver -w acme/production --state dead')).toEqual({ changed: 0 });
    const executed = 'deliveries redeliver -w acme/production --again --state executed --since';
    expect(await json(`${executed} 2026-11-27T09:30:00Z`)).toEqual({ changed: 0 });
    expect((await run(`${executed} yesterday`)).err).toContain('--since: expected an instant with its zone');
    expect(await run('deliveries redeliver act_nope -w acme/production')).toMatchObject({
      code: 1,
      out: '0 actions scheduled again.\n',
      err: expect.stringContaining('do not belong to acme/production'),
    });
  });

  it('resume reports that a disabled webhook must be enabled, and enable does it', async () => {
    const [{ id } = {}] = await rows(`select id from workspace where name = 'acme' and environment = 'production'`);
    await rows(`insert into endpoint (workspace_id, state, failing_since, failures) values ('${String(id)}', 'disabled', now(), 12)
      on conflict (workspace_id) do update set state = 'disabled', failing_since = now(), failures = 12`);
    expect((await run('deliveries resume')).err).toContain('ringfence webhook enable -w acme/production');
    expect((await run('doctor')).out).toContain('failed for days and is disabled');
    expect(await json('webhook enable -w acme/production')).toEqual({ enabled: 'acme/production' });
    expect(await run('deliveries resume -w acme/production')).toMatchObject({ code: 0, err: '' });
  });
});

describe('client', () => {
  it('an unknown client cannot be unblocked or erased', async () => {
    expect(await run('client unblock nobody -w acme/production')).toMatchObject({
      code: 1,
      err: expect.stringContaining('not known'),
    });
    expect(await run('client erase -w acme/production --yes', 'nobody\n')).toMatchObject({ code: 1 });
  });
});

describe('events tail', () => {
  it('shows nothing for an empty log, and stops on a signal', async () => {
    expect(await run('events tail --no-follow')).toEqual({ code: 0, out: '', err: '' });
    const environment = { DATABASE_URL: database.url, RINGFENCE_MASTER_KEY: masterKey };
    const stop = AbortSignal.timeout(500);
    expect(await ringfence('events tail', { environment, folder, stop })).toMatchObject({ code: 0 });
  });
});

describe('backup and restore', () => {
  it('restore an installation into an empty database, and refuse a database that is not empty', async () => {
    const made = await run('backup all.bin');
    expect(made).toMatchObject({ code: 0, out: expect.stringContaining('The master key is not in it.') });
    expect(statSync(join(folder, 'all.bin')).mode & 0o777).toBe(0o600);
    const other = await freshDatabase();
    const keyless = { environment: { DATABASE_URL: other.url, RINGFENCE_HOME: join(folder, 'new') }, folder };
    expect(await ringfence('restore all.bin', keyless)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('There is no master key'),
    });
    expect(await run('restore all.bin', '', other.url)).toMatchObject({ code: 0 });
    const there = await run('workspace list --json', '', other.url);
    expect(there.out).toBe((await run('workspace list --json')).out);
    expect(await run('restore all.bin', '', other.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining('not empty'),
    });
  });

  it('report a path that cannot be written, and leave no file there', async () => {
    mkdirSync(join(folder, 'backups'));
    expect(await run('backup nowhere/all.bin')).toEqual({
      code: 1,
      out: '',
      err: `The backup ${join(folder, 'nowhere', 'all.bin')} cannot be written: there is no such folder.\nName a file in a folder that exists, that this user may write to, on a disk with enough space.\n`,
    });
    expect(await run('backup backups')).toMatchObject({
      code: 1,
      err: expect.stringContaining('cannot be written: it is a folder.\n'),
    });
    expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([]);
  });

  it('restore nothing with a wrong master key, so that a retry with the right one works', async () => {
    const other = await freshDatabase();
    const RINGFENCE_MASTER_KEY = Buffer.alloc(32, 7).toString('base64');
    const wrong = await ringfence('restore all.bin', {
      environment: { DATABASE_URL: other.url, RINGFENCE_MASTER_KEY },
      folder,
    });
    expect(wrong).toMatchObject({ code: 1, out: '', err: expect.stringContaining('is not the one that sealed') });
    expect(await run('restore all.bin', '', other.url)).toMatchObject({ code: 0, err: '' });
  });

  it('contain no secret in plain text', async () => {
    const { pepper } = await json<{ pepper: string }>('pepper export -w acme/production');
    const [key] = await rows(`select hint from license_key limit 1`);
    expect(key).toBeDefined();
    expect(readFileSync(join(folder, 'all.bin')).includes(Buffer.from(pepper, 'base64'))).toBe(false);
  });
});

describe('master-key', () => {
  const nextKey = Buffer.alloc(32, 6).toString('base64');
  const withKeys = (line: string, keys: string): Promise<Said> =>
    ringfence(line, {
      environment: { DATABASE_URL: database.url, RINGFENCE_MASTER_KEY: keys, MANAGEMENT_PORT: '1' },
      folder,
    });
  const keysIn = async (keys: string): Promise<readonly string[]> =>
    (await withKeys('doctor', keys)).out.split('\n').filter((line) => line.includes('master key: '));

  it('rotate switches to the second key, and doctor shows the next step at each stage', async () => {
    const alone = await withKeys('master-key rotate', masterKey);
    expect(alone).toMatchObject({ code: 1, out: '', err: expect.stringContaining('There is no next master key') });
    const two = `${masterKey} ${nextKey}`;
    expect(await keysIn(two)).toEqual([
      expect.stringMatching(
        /^ok {3}master key: \w{8}, from RINGFENCE_MASTER_KEY; it encrypts \d+ secrets and \d+ license/,
      ),
      expect.stringMatching(/^warn master key: \w{8} is meant to replace \w{8}, but encrypts nothing yet$/),
    ]);
    const rotated = await withKeys('master-key rotate', two);
    expect(rotated).toMatchObject({ code: 0, out: expect.stringContaining('Remove the old one, ') });
    expect(await keysIn(two)).toEqual([
      expect.stringMatching(/^ok /),
      expect.stringMatching(/^warn master key: \w{8} was replaced, but RINGFENCE_MASTER_KEY still contains it$/),
    ]);
    expect(await keysIn(nextKey)).toEqual([expect.stringMatching(/^ok /)]);
    expect(await withKeys('key list', masterKey)).toMatchObject({
      code: 1,
      err: expect.stringContaining('was replaced'),
    });
    expect((await withKeys('pepper export -w acme/production', nextKey)).code).toBe(0);
  });

  it('doctor reports an interrupted rotation', async () => {
    const pool = new Pool(database.config);
    // As if the earlier rotation had been interrupted: the database names the new key, but rows still use the old one.
    await pool.query(`update license_key set master_key_id = '00000000' where sealed is not null`);
    expect(await keysIn(nextKey)).toContainEqual(
      expect.stringMatching(
        /^FAIL master key: 0 secrets and \d license keys? are still encrypted with 00000000, which/,
      ),
    );
    await pool.query(`update license_key set master_key_id = (select master_key_id from installation)`);
    await pool.end();
    // Back to the first key for the following tests. A replaced key cannot be used again, so its replacement is undone.
    await rows(`delete from retired_master_key`);
    expect((await withKeys('master-key rotate', `${masterKey} ${nextKey}`)).code).toBe(0);
  });
});

describe('doctor', () => {
  it('finds problems of a workspace and shows how to fix them', async () => {
    const keys = await json<{ id: string; state: string }[]>('key list -w acme/development');
    for (const { id } of keys) await run(`key revoke ${id} -w acme/development --force`);
    const { code, out } = await run('doctor');
    expect(code).toBe(1);
    expect(out).toMatch(
      /ok {3}retention: acme\/development keeps events for 400 days, since \d{4}-\d\d-\d\d; finished actions for 400 days, none so far\n/,
    );
    expect(out).toContain(
      'FAIL workspace acme/development: no live license key: every event is refused\n       -> ringfence key create -w acme/development',
    );
    expect(out).toContain('ok   durability: ');
    expect(out).toMatch(/Problems: \d, warnings: \d\.\n$/);
  });

  it('reports the same about the admin token as the next start', async () => {
    const home = join(folder, 'home-of-token');
    const file = join(home, 'secrets', 'admin-token');
    mkdirSync(join(home, 'secrets'), { recursive: true });
    const line = async (): Promise<string | undefined> =>
      (await run(`doctor --home ${home}`)).out.split('\n').find((one) => one.includes('admin token'));
    expect(await line()).toBe(`ok   admin token: the next start generates it in ${file}`);
    writeFileSync(file, 'short', { mode: 0o600 });
    expect(await line()).toContain(`FAIL admin token: ${file} is not a usable admin token`);
    writeFileSync(file, 'x'.repeat(32));
    expect(await line()).toBe(`ok   admin token: from ${file}`);
    chmodSync(file, 0o644);
    expect(await line()).toBe(`FAIL admin token: ${file} can be read by others (mode 0644).`);
  });

  it('stops at the first problem on which all other checks depend', async () => {
    const other = {
      environment: { DATABASE_URL: database.url, RINGFENCE_MASTER_KEY: Buffer.alloc(32, 6).toString('hex') },
      folder,
    };
    const wrongKey = await ringfence('doctor', other);
    expect(wrongKey).toMatchObject({
      code: 1,
      out: expect.stringContaining('is not the one that sealed this database'),
    });
    const away = await ringfence('doctor', {
      environment: { DATABASE_URL: 'postgresql://127.0.0.1:1/x', PORT: 'many' },
      folder,
    });
    expect(away.out).toContain(
      'FAIL configuration: it is invalid\n       PORT: expected a whole number from 0 to 65535, found "many"',
    );
  });
});
