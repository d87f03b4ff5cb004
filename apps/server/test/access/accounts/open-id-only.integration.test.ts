import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOfIdentity } from '../../../src/access/accounts/open-id-accounts.ts';
import { OpenIdLogIn } from '../../../src/access/accounts/open-id.ts';
import type { Roles } from '../../../src/access/accounts/roles.ts';
import { openSession } from '../../../src/access/accounts/sessions.ts';
import { isStreamAuthorized } from '../../../src/api/server/stream-authorization.ts';
import { sessionOf } from '../../../src/api/sessions/passwords.ts';
import { type ManagementKit, managementKit, problemOf } from '../../api/support/management-kit.ts';
import { testMasterKeys } from '../../support/installation.ts';
import { type Browser, browser, loggedIn, password } from './support/browser.ts';

const settings = {
  name: 'Bank log-in',
  issuer: 'https://id.bank.example',
  clientId: 'ringfence',
  clientSecret: undefined,
  scope: 'openid',
  trustEmail: false,
  rolesClaim: 'groups',
  roles: [{ value: 'security', role: 'administrator', workspace: '*' }],
  only: false,
} as const;

let kit: ManagementKit;
let local: Browser;
let invited: { readonly id: string; readonly token: string };

/** Sets the configuration as the next start would read it. */
const letIn = (only: boolean): void => void ((kit.deps.openId!.settings as { only: boolean }).only = only);
const refused = (response: Parameters<typeof problemOf>[0]): string => problemOf(response).code;

beforeAll(async () => {
  const openId = new OpenIdLogIn({
    settings: { ...settings },
    origin: 'https://console.example',
    master: testMasterKeys(),
  });
  kit = await managementKit({ openId, consoleOrigin: 'https://console.example' });
  local = await loggedIn(kit, { email: 'local@bank.example', roles: ['administrator'], workspace: '*' });
  const made = await kit.call('POST', '/accounts', { body: { email: 'new@bank.example', name: 'New', roles: [] } });
  const { id, invitation } = made.json<{ id: string; invitation: { token: string } }>();
  invited = { id, token: invitation.token };
  letIn(true);
});

afterAll(() => kit.close());

describe('where people can log in only with the provider', () => {
  it('the log-in options show it, and no link for a first administrator is printed', async () => {
    const options = (await browser(kit).call('GET', '/session/options')).json();
    expect(options).toMatchObject({ first: false, password: false, openId: { name: 'Bank log-in' } });
  });

  it.each([
    ['a log-in', '/session', { email: 'local@bank.example', password }],
    ['a log-in with a wrong password', '/session', { email: 'local@bank.example', password: 'x' }],
    ['the link of a first administrator', '/session/first', { token: 't', email: 'a@b.example', name: 'A', password }],
  ])('%s is refused', async (_, path, body) => {
    expect(refused(await browser(kit).call('POST', path, { body }))).toBe('owner.config');
  });

  it('an earlier link sets no password', async () => {
    const body = { token: invited.token, password };
    expect(refused(await browser(kit).call('POST', '/session/invitation', { body }))).toBe('owner.config');
  });

  it('an earlier session by password is invalid, and its streams end', async () => {
    expect(refused(await local.call('GET', '/session'))).toBe('session.missing');
    letIn(false);
    const session = (await sessionOf(kit.deps, local.cookie!.split('=', 2)[1]!, false))!;
    const caller = { kind: 'person', session, token: local.cookie!.split('=', 2)[1]! } as const;
    const stays = () => isStreamAuthorized(kit.deps, { workspace: kit.workspace, exchange: { caller }, needs: 'see' });
    expect(await stays()).toBe(true);
    letIn(true);
    expect(await stays()).toBe(false);
  });

  it('a session by a previous provider is invalid; one by the current provider is valid', async () => {
    const tokenOf = async (issuer: string): Promise<string> => {
      const email = `${URL.parse(issuer)!.hostname}@bank.example`;
      const identity = { issuer, subject: 'ana', email, name: 'Ana', values: [] };
      const roles: Roles = { '*': ['analyst'] };
      const { id } = await accountOfIdentity(kit.pool, { identity, roles }, () => Promise.resolve());
      const at = { address: '127.0.0.1', agent: 'test', nowMs: kit.deps.now() };
      return (await openSession(kit.pool, { accountId: id, ...at })).token;
    };
    const former = await tokenOf('https://former.bank.example');
    expect(await sessionOf(kit.deps, former, false)).toBeUndefined();
    expect(await sessionOf(kit.deps, await tokenOf(settings.issuer), false)).toBeDefined();
    letIn(false);
    expect(await sessionOf(kit.deps, former, false)).toBeDefined();
    letIn(true);
  });

  it('not even the admin token can create an account with a password, or a link for one', async () => {
    const body = {
      email: 'second@bank.example',
      name: 'Second',
      roles: [{ workspace: '*', roles: ['administrator'] }],
    };
    expect(refused(await kit.call('POST', '/accounts', { body }))).toBe('owner.config');
    expect(refused(await kit.call('POST', `/accounts/${invited.id}/invite`))).toBe('owner.config');
    const made = await kit.pool.query(`select 1 from account where email = 'second@bank.example'`);
    expect(made.rowCount).toBe(0);
  });

  it('after removal from the configuration, earlier credentials are valid again', async () => {
    letIn(false);
    expect((await local.call('GET', '/session')).statusCode).toBe(200);
    const body = { email: 'local@bank.example', password };
    expect((await browser(kit).call('POST', '/session', { body })).statusCode).toBe(201);
    letIn(true);
  });
});
