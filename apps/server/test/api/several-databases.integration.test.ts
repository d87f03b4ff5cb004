/** The management API over two databases: the home database, and `north` with a workspace of its own. */
import { notePlaces, readPlaces } from '../../src/tenancy/cells/workspace-places.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
    expect((await both.call('GET', `/workspaces/${id}`)).json()).toMatchObject({ name: 'harbor' });
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
