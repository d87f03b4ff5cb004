/** The management API over two databases: the home database, and `north` with a workspace of its own. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfiguration } from '../../src/config/load-configuration.ts';
import { reconcile } from '../../src/config/reconcile.ts';
import { findDoubleKeys, noteKeys } from '../../src/tenancy/cells/key-owners.ts';
import { createKey, revokeKey } from '../../src/tenancy/workspaces/key-rotation.ts';
import { createWorkspace } from '../../src/tenancy/workspaces/workspace-store.ts';
import { notePlaces, readPlaces } from '../../src/tenancy/cells/workspace-places.ts';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { everywhere } from '../../src/access/accounts/roles.ts';
import { createToken } from '../../src/access/tokens/api-tokens.ts';
import { depsOfAll } from '../../src/api/server/deps-of-all.ts';
import { buildManagement } from '../../src/api/server/management-server.ts';
import type { ManagementDeps } from '../../src/api/server/management-deps.ts';
import { takeSources } from '../../src/notifications/sources.ts';
import { askForPolicy, openPolicyRequest } from '../../src/policies/policy-requests.ts';
import { inTransaction } from '../../src/platform/database/transactions.ts';
import { claimCell, claimHome } from '../../src/tenancy/cells/claim-database.ts';
import { type Browser, loggedIn } from '../access/accounts/support/browser.ts';
import { consoleKit, type ConsoleKit } from '../console/support/console-kit.ts';
import { makeInstallation } from '../support/installation.ts';
import { login, managementKit, type ManagementKit, payment, problemOf } from './support/management-kit.ts';

let home: ManagementKit;
let north: ConsoleKit;
/** Those of `home`, over both databases. */
let both: ManagementKit;
/** The databases that are open. */
let open: ManagementDeps[];
let mara: Browser;

beforeAll(async () => {
  const first = await makeInstallation();
  await claimHome(first.pool);
  const cell = { name: 'north', home: first.pool };
  const second = await makeInstallation(undefined, first.master);
  await claimCell(second.pool, cell);
  home = await managementKit({}, first);
  north = await consoleKit(second, { cell });
  open = [home.deps, north.deps];
  const deps = depsOfAll(home.deps, { all: () => open, databases: ['north'] });
  const app = await buildManagement(deps);
  const call: ManagementKit['call'] = async (method, path, { body } = {}) =>
    app.inject({
      method: method as 'GET',
      url: `/management/v1${path}`,
      headers: {
        authorization: `Bearer ${deps.admin.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
  both = { ...home, app, deps, call };
  mara = await loggedIn(both, { email: 'mara@bank.example', roles: ['analyst'], workspace: everywhere });
});

afterAll(async () => {
  await both.app.close();
  await north.close();
  await home.close();
});

const namesIn = async ({ pool }: ManagementKit): Promise<readonly string[]> =>
  (await pool.query<{ name: string }>(`select name from workspace order by name`)).rows.map(({ name }) => name);
const auditedIn = async ({ pool }: ManagementKit, action: string): Promise<readonly unknown[]> =>
  (await pool.query(`select actor, workspace_id as workspace from audit_entry where action = $1`, [action])).rows;

describe('a workspace', () => {
  it('is created in the database that is named, listed with all, and audited at home', async () => {
    const body = { name: 'harbor', environment: 'production', database: 'north' };
    const made = await both.call('POST', '/workspaces', { body });
    expect(made.statusCode).toBe(201);
    const { id } = made.json<{ id: string }>();
    expect(await namesIn(north)).toContain('harbor');
    expect(await namesIn(home)).not.toContain('harbor');
    const listed = (await both.call('GET', '/workspaces')).json<{ items: readonly { id: string }[] }>();
    expect(listed.items.map((one) => one.id)).toEqual(expect.arrayContaining([id, home.workspace.id]));
    expect((await both.call('GET', `/workspaces/${id}`)).json()).toMatchObject({ name: 'harbor', database: 'north' });
    expect(await auditedIn(home, 'createWorkspace')).toMatchObject([{ actor: 'admin token' }]);
    expect(await auditedIn(north, 'createWorkspace')).toEqual([]);
  });

  it.each(['home', 'north'])('has a name that no other has in any database: not in %s', async (database) => {
    const create = (name: string) =>
      both.call('POST', '/workspaces', { body: { name, environment: 'production', database } });
    expect(problemOf(await create('harbor')).code).toBe('state.conflict');
    expect(problemOf(await create('bank')).code).toBe('state.conflict');
    const { id } = (await create(`of ${database}`)).json<{ id: string }>();
    const renamed = await both.call('PATCH', `/workspaces/${id}`, { body: { name: 'harbor' } });
    expect(problemOf(renamed).code).toBe('state.conflict');
  });

  it('is shown with its database, and its move under way', async () => {
    const { id } = north.workspace;
    await home.pool.query(
      `insert into workspace_move (workspace_id, name, environment, from_database, to_database, phase, rows, rows_total)
       values ($1, $2, 'production', 'north', 'home', 'copying', 500, 800)`,
      [id, north.workspace.name],
    );
    const { items } = (await both.call('GET', '/workspaces')).json<{ items: readonly { id: string }[] }>();
    expect(items.find((one) => one.id === home.workspace.id)).toMatchObject({ database: 'home' });
    expect(items.find((one) => one.id === home.workspace.id)).not.toHaveProperty('move');
    const moving = { database: 'north', move: { to: 'home', state: 'copying', percent: 62 } };
    expect(items.find((one) => one.id === id)).toMatchObject(moving);
    expect((await both.call('GET', `/workspaces/${id}`)).json()).toMatchObject(moving);
    await home.pool.query(`update workspace_move set phase = 'kept'`);
    expect((await both.call('GET', `/workspaces/${id}`)).json()).not.toHaveProperty('move');
    await home.pool.query(`delete from workspace_move`);
    const alone = await home.call('GET', `/workspaces/${home.workspace.id}`);
    expect(alone.json()).not.toHaveProperty('database');
  });

  it('takes its name again when its creation was interrupted', async () => {
    await home.pool.query(
      `insert into workspace_database (workspace_id, name, environment, database)
       values ('lostlost', 'lost', 'production', 'north')`,
    );
    const body = { name: 'lost', environment: 'production', database: 'north' };
    expect((await both.call('POST', '/workspaces', { body })).statusCode).toBe(201);
  });

  it('is noted again at home, which was restored to an earlier time', async () => {
    const known = await readPlaces(home.pool);
    await home.pool.query(`delete from workspace_database`);
    await notePlaces(north.pool, { name: 'north', home: home.pool });
    const noted = await readPlaces(home.pool);
    // The workspace of the scene was made before its database was a further one.
    expect(noted).toEqual(expect.arrayContaining([...known]));
  });

  it('is not created in a database that is not declared', async () => {
    const body = { name: 'x', environment: 'production', database: 'south' };
    const refused = problemOf(await both.call('POST', '/workspaces', { body }));
    expect(refused).toMatchObject({ status: 422, errors: [{ pointer: '/database', expected: 'home or north' }] });
  });
});

describe('a license key', () => {
  const taken = { code: 'state.conflict', detail: expect.stringContaining('in use or was revoked') };
  const text = 'a-key-that-the-bank-has-had-for-years';
  const harbor = (): string => north.deps.registry.all().find(({ name }) => name === 'harbor')!.id;

  it('of a workspace is refused for one of another database, also after it was revoked', async () => {
    const { id } = await createKey(north.deps, harbor(), text);
    await expect(createKey(home.deps, home.workspace.id, text)).rejects.toMatchObject(taken);
    await revokeKey(north.deps, harbor(), { id, force: true });
    await expect(createKey(home.deps, home.workspace.id, text)).rejects.toMatchObject(taken);
    const own = await createKey(home.deps, home.workspace.id);
    await expect(createKey(north.deps, harbor(), own.text)).rejects.toMatchObject(taken);
    await revokeKey(home.deps, home.workspace.id, { id: own.id, force: true });
  });

  it('of the file is refused when a workspace of another database has it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ringfence-databases-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = `workspaces: [{ name: wharf, environment: production, licenseKeys: [${text}] }]`;
    writeFileSync(join(folder, 'ringfence.yaml'), file);
    const configuration = loadConfiguration({ config: 'ringfence.yaml' }, {}, folder);
    const refused = `of wharf/production in the configuration file belongs, or belonged, to harbor/production`;
    await expect(reconcile(configuration, home.deps)).rejects.toThrow(refused);
    expect(await namesIn(home)).not.toContain('wharf');
  });

  it('is free again when the creation of its workspace failed', async () => {
    const licenseKeys = ['a-key-of-a-workspace-that-was-not-made', text];
    const wanted = { name: 'dock', environment: 'production', licenseKeys } as const;
    await expect(createWorkspace(home.deps, wanted)).rejects.toMatchObject(taken);
    await expect(createWorkspace(north.deps, { ...wanted, licenseKeys: [licenseKeys[0]!, 'x'] })).rejects.toThrow(
      'not usable',
    );
    await createKey(home.deps, home.workspace.id, licenseKeys[0]);
  });

  it('that two workspaces have already is found', async () => {
    expect(await findDoubleKeys(north.deps)).toEqual([]);
    const { rows } = await home.pool.query<{ hash: Buffer }>(
      `select hash from license_key where workspace_id = $1 and revoked_at is null limit 1`,
      [home.workspace.id],
    );
    await north.pool.query(`update license_key set hash = $1 where workspace_id = $2 and revoked_at is null`, [
      rows[0]!.hash,
      harbor(),
    ]);
    await home.pool.query(`delete from license_key_owner`);
    await noteKeys(home.deps);
    await noteKeys(north.deps);
    expect(await findDoubleKeys(home.deps)).toEqual([]);
    expect(await findDoubleKeys(north.deps)).toMatchObject([{ label: 'harbor/production', other: 'bank/production' }]);
  });
});

describe('the work of a person in the other database', () => {
  const path = (rest: string): string => `/workspaces/${north.workspace.id}/${rest}`;

  it('is shown under their name, and audited at home', async () => {
    await north.send('login', login('ana'));
    await north.send('operation', payment('ana'));
    await north.fed();
    await north.pool.query(
      `insert into alert (workspace_id, id, state, rank, risk, decisions, reasons, channels, first_offset, last_offset,
                          opened_at, last_at)
       values ($1, 'alr_aaaaaaaaaaaa', 'open', 1, 50, 1, '{300}', '{1}', 0, 0, now(), now())`,
      [north.workspace.id],
    );
    const events = (await mara.call('GET', path('events'))).json<{ items: readonly unknown[] }>();
    expect(events.items).toHaveLength(2);
    const claimed = await mara.call('POST', path('alerts/alr_aaaaaaaaaaaa/claim'));
    expect(claimed.json()).toMatchObject({ claimedBy: 'mara@bank.example' });
    expect(await auditedIn(home, 'claimAlert')).toEqual([
      { actor: 'mara@bank.example', workspace: north.workspace.id },
    ]);
    expect(await auditedIn(north, 'claimAlert')).toEqual([]);
  });

  it('is handed over to a person of the home database', async () => {
    await loggedIn(both, { email: 'luis@bank.example', roles: ['analyst'], workspace: everywhere });
    const body = { to: 'luis@bank.example' };
    const handed = await mara.call('POST', path('alerts/alr_aaaaaaaaaaaa/hand-over'), { body });
    expect(handed.json()).toMatchObject({ claimedBy: 'luis@bank.example', handedOver: { by: 'mara@bank.example' } });
    const noted = await inTransaction(north.pool, takeSources);
    expect(noted).toEqual(expect.arrayContaining([expect.objectContaining({ kind: 'assignment' })]));
  });

  it('needs a second person, also behind a token, which only the home database knows', async () => {
    const nowMs = Date.now();
    const scopes = ['policies:write'] as const;
    const createdBy = 'mara@bank.example';
    await createToken(home.pool, { name: 'deploy', scopes, workspaces: [everywhere], days: 1, createdBy, nowMs });
    const asked = { version: 1, comment: 'from a pipeline', by: 'token:deploy', nowMs };
    const { id } = await askForPolicy(north.pool, north.workspace.id, asked);
    const approval = (by: string) =>
      openPolicyRequest(north.pool, north.workspace.id, { id, state: 'approved', by, home: home.pool });
    await expect(approval(createdBy)).rejects.toThrow('you created that token');
    await expect(approval('luis@bank.example')).resolves.toMatchObject({ id });
  });
});

describe('the service as a whole', () => {
  it('shows the backlogs of all, and pauses deliveries in each', async () => {
    const status = (await both.call('GET', '/status')).json<{ workspaces: readonly { id: string }[] }>();
    const ids = status.workspaces.map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([home.workspace.id, north.workspace.id]));
    expect((await both.call('POST', '/deliveries/pause')).statusCode).toBe(204);
    for (const kit of [home, north]) expect(await kit.outbox.pauses()).toMatchObject([{ scope: { kind: 'all' } }]);
    expect((await both.call('GET', '/status')).json<{ pauses: readonly unknown[] }>().pauses).toHaveLength(1);
    await both.call('POST', '/deliveries/resume');
    expect(await north.outbox.pauses()).toEqual([]);
  });
});

describe('a database that cannot be reached', () => {
  it('is named for its workspaces, and the others go on', async () => {
    open = [home.deps];
    expect((await both.call('GET', `/workspaces/${home.workspace.id}/events`)).statusCode).toBe(200);
    const refused = problemOf(await both.call('GET', '/workspaces/harbor:production/events'));
    expect(refused).toMatchObject({ code: 'database.unavailable', detail: expect.stringContaining('"north"') });
    expect(problemOf(await both.call('GET', '/workspaces/nowhere:production/events')).code).toBe('thing.unknown');
    const body = { name: 'y', environment: 'production', database: 'north' };
    expect(problemOf(await both.call('POST', '/workspaces', { body })).code).toBe('database.unavailable');
    open = [home.deps, north.deps];
  });
});

describe('a database', () => {
  it('keeps its name and its installation', async () => {
    const { pool } = north;
    await expect(claimCell(pool, { name: 'south', home: home.pool })).rejects.toThrow('is the database "north"');
    await expect(claimHome(pool)).rejects.toThrow('is the database "north" of an installation');
    await expect(claimCell(home.pool, { name: 'west', home: home.pool })).rejects.toThrow('is the database "home"');
    const other = await makeInstallation();
    await claimHome(other.pool);
    await expect(claimCell(pool, { name: 'north', home: other.pool })).rejects.toThrow('another installation');
    await other.close();
  });
});
