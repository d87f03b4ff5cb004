/** Changes made by commands are recorded in the audit log, like those made through the management API. */
import { hostname, userInfo } from 'node:os';
import { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { starterPolicyFolder } from '../../src/config/first-start.ts';
import { freshDatabase, type TestDatabase } from '../support/postgres.ts';
import { ringfence, type Said } from '../support/terminal.ts';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await freshDatabase();
  pool = new Pool(database.config);
  await run('migrate');
});
afterAll(() => pool.end());

function run(line: string, environment: Readonly<Record<string, string>> = {}): Promise<Said> {
  const masterKey = Buffer.alloc(32, 5).toString('base64');
  return ringfence(line, {
    environment: { DATABASE_URL: database.url, RINGFENCE_MASTER_KEY: masterKey, ...environment },
    folder: '/',
  });
}

async function entries(): Promise<readonly Record<string, unknown>[]> {
  const { out } = await run('audit export');
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

it('an audit entry names the operating-system user, the machine and the change', async () => {
  expect((await run('workspace create bank -e production channel.1=App')).code).toBe(0);
  const applied = await run(`policy apply ${starterPolicyFolder} -w bank/production --author ana`);
  expect(applied.code).toBe(0);
  expect((await run('list add mulesKnown BANK-B/77 -w bank')).code).toBe(0);
  expect((await run('policy activate 1', { SUDO_USER: 'ana' })).code).toBe(0);
  const { username } = userInfo();
  const found = await entries();
  expect(found.map(({ action }) => action)).toEqual(['createWorkspace', 'applyPolicy', 'changeList', 'activatePolicy']);
  const { rows } = await pool.query<{ id: string }>('select id from workspace');
  expect(found[1]).toMatchObject({
    workspaceId: rows[0]!.id,
    actorKind: 'person',
    actor: `os:${username}`,
    address: `command line of ${hostname()}`,
    requestId: expect.stringMatching(/^cli_[a-z2-7]{16}$/),
    detail: { command: 'policy apply', version: 1 },
  });
  // The item may be an account number, so it is not recorded.
  expect(found[2]).toMatchObject({ target: 'mulesKnown', detail: { command: 'list add' } });
  expect(JSON.stringify(found)).not.toContain('BANK-B');
  expect(found[3]).toMatchObject({ actor: `os:ana as ${username}`, target: '1' });
  expect(await run('audit verify')).toMatchObject({ code: 0 });
});

it('the audit log has no entry for refused or read-only commands, and contains no secret', async () => {
  const before = (await entries()).length;
  expect((await run('key revoke key_aaaaaaaaaaaa -w bank')).code).toBe(1);
  expect((await run('list add nothing x -w bank')).code).toBe(1);
  expect((await run('key list -w bank')).code).toBe(0);
  expect(await entries()).toHaveLength(before);
  const { rows } = await pool.query('select 1 from audit_intent');
  expect(rows).toEqual([]);

  const { out } = await run('pepper export -w bank');
  const [shown] = (await entries()).slice(before);
  expect(shown).toMatchObject({ action: 'showPepper', detail: { command: 'pepper export' } });
  expect(JSON.stringify(await entries())).not.toContain(out.trim());
});

it('a token is created with scopes, listed without its text, and revoked by its name', async () => {
  const created = await run('token create nightly -s events:read,labels:write -w bank/production --days 30 --json');
  expect(created.err).toBe('');
  const { id, text } = JSON.parse(created.out) as { readonly id: string; readonly text: string };
  expect(text).toMatch(/^rf_token_/);
  const listed = await run('token list');
  expect(listed.out).toMatch(/nightly +live +events:read labels:write +bank\/production/);
  expect(listed.out).not.toContain(text);
  expect(await run('token revoke nightly')).toMatchObject({
    code: 0,
    out: `Token nightly (${id}) is revoked for good.\n`,
  });
  expect((await run('token list')).out).toMatch(/nightly +revoked/);
  const found = (await entries()).slice(-2);
  expect(found.map(({ action, target }) => [action, target])).toEqual([
    ['createToken', 'nightly'],
    ['revokeToken', 'nightly'],
  ]);
  expect(JSON.stringify(found)).not.toContain(text);
});

it.each([
  ['token create a/b -s events:read -w all', 'name: expected 1 to 60 letters'],
  ['token create ab -s events:delete -w all', '--scope: there is no scope "events:delete"'],
  ['token create ab -s events:read -w all --days 0', '--days: expected a whole number from 1 to 730'],
  ['token create ab -s events:read', "required option '-w, --workspace <names...>' not specified"],
])('%s is refused', async (line, expected) => {
  const { code, err } = await run(line);
  expect([code, err]).toEqual([2, expect.stringContaining(expected)]);
});
