import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { OpenIdLogIn } from '../../../src/access/accounts/open-id.ts';
import { managementKit, type ManagementKit, problemOf } from '../../api/support/management-kit.ts';
import { testMasterKeys } from '../../support/installation.ts';
import { browser, loggedIn } from './support/browser.ts';
import { openIdProvider, type Provider, settingsOf } from './support/open-id-provider.ts';

const origin = 'https://console.example';
let provider: Provider;
let kit: ManagementKit;

beforeAll(async () => {
  provider = await openIdProvider();
  const settings = settingsOf(provider, [
    { value: 'fraud-team', role: 'analyst', workspace: 'bank:production' },
    { value: 'fraud-team', role: 'author', workspace: 'bank:production' },
    { value: 'security', role: 'administrator', workspace: '*' },
    { value: 'gone', role: 'viewer', workspace: 'no such:production' },
  ]);
  const openId = new OpenIdLogIn({ settings, origin, master: testMasterKeys() });
  kit = await managementKit({ openId, consoleOrigin: origin });
});

beforeEach(() => {
  // Resets the rate limit of earlier failures.
  kit.pass(10 * 60_000);
  provider.spoil = 'nothing';
  provider.person = {
    sub: 'u-1',
    email: 'Rosa@Bank.example',
    email_verified: true,
    name: 'Rosa',
    groups: ['fraud-team', 'staff'],
  };
});

afterAll(async () => {
  await kit.close();
  await provider.close();
});

interface Landed {
  readonly location: string;
  readonly cookies: readonly string[];
}

const base = '/management/v1/session/openid';

async function begin(query = '', headers = {}): Promise<{ readonly back: URL; readonly cookie: string }> {
  const started = await kit.app.inject({ method: 'GET', url: `${base}${query}`, headers });
  expect(started.statusCode).toBe(302);
  const cookie = String(started.headers['set-cookie']);
  expect(cookie).toMatch(/^__Host-ringfence-openid=[^;]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/);
  const atProvider = await fetch(String(started.headers.location), { redirect: 'manual' });
  return { back: new URL(atProvider.headers.get('location')!), cookie: cookie.split(';', 1)[0]! };
}

async function comeBack(back: URL, cookie: string | undefined): Promise<Landed> {
  expect(back.origin + back.pathname).toBe(`${origin}${base}/callback`);
  const headers = cookie === undefined ? {} : { cookie };
  const landed = await kit.app.inject({ method: 'GET', url: `${base}/callback${back.search}`, headers });
  expect(landed.statusCode).toBe(302);
  return { location: String(landed.headers.location), cookies: [landed.headers['set-cookie'] ?? []].flat() };
}

async function logIn(query = ''): Promise<Landed> {
  const { back, cookie } = await begin(query);
  return comeBack(back, cookie);
}

async function sessionOf({
  cookies,
}: Landed): Promise<{ account: object; workspaces: object[]; installation: string[] }> {
  const cookie = cookies.find((one) => one.startsWith('__Host-ringfence='))!.split(';', 1)[0]!;
  return (await browser(kit).call('GET', '/session', { headers: { cookie } })).json();
}

const refusal = ({ location }: Landed): string => {
  expect(location).toMatch(/^\/console\/login\?openId=/);
  return new URL(location, origin).searchParams.get('openId')!;
};

const wantedPage = ({ location }: Landed): string | null => new URL(location, origin).searchParams.get('to');

describe('a log-in with the provider', () => {
  it('uses HTTPS, with HSTS in every answer', async () => {
    const response = await browser(kit).call('GET', '/session/options');
    expect(response.headers['strict-transport-security']).toBe('max-age=31536000');
  });

  it('takes GET and HEAD only, and says so', async () => {
    const response = await kit.call('DELETE', '/session/openid');
    expect([response.statusCode, response.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('is offered in the log-in options', async () => {
    const options = (await browser(kit).call('GET', '/session/options')).json();
    expect(options).toMatchObject({ openId: { name: 'Bank log-in', path: base } });
  });

  it('creates the account, with roles from its claims, and redirects to the requested page', async () => {
    const landed = await logIn('?to=/console/w/x/alerts?state=open');
    expect(landed.location).toBe('/console/w/x/alerts?state=open');
    expect(landed.cookies[0]).toContain('SameSite=Strict');
    const session = await sessionOf(landed);
    expect(session).toMatchObject({
      account: { email: 'rosa@bank.example', name: 'Rosa', issuer: provider.issuer, password: false },
      workspaces: [{ id: kit.workspace.id, rights: ['see', 'show', 'work', 'write'] }],
      installation: [],
    });
  });

  it('reads the roles again each time, and refuses a person without any', async () => {
    const before = await logIn();
    provider.person = { ...provider.person, groups: 'security' };
    expect((await sessionOf(await logIn())).installation).toContain('administer');
    provider.person = { ...provider.person, groups: ['staff', 'gone'] };
    expect(refusal(await logIn())).toContain('nothingGranted');
    const cookie = before.cookies[0]!.split(';', 1)[0]!;
    expect(problemOf(await browser(kit).call('GET', '/session', { headers: { cookie } })).code).toBe('session.missing');
  });

  it("ends the browser's previous session, whose cookie is not sent with the callback", async () => {
    const cookieOf = ({ cookies }: Landed): string => cookies[0]!.split(';', 1)[0]!;
    const former = cookieOf(await logIn());
    const given = await begin('', { cookie: former });
    expect(given.cookie).not.toContain(former.split('=', 2)[1]);
    const next = cookieOf(await comeBack(given.back, given.cookie));
    const look = (cookie: string) => browser(kit).call('GET', '/session', { headers: { cookie } });
    expect((await look(next)).statusCode).toBe(200);
    expect(problemOf(await look(former)).code).toBe('session.missing');
  });

  it('can be in progress in three tabs at the same time, in any order', async () => {
    const kept = ({ cookies }: Landed): string =>
      cookies.find((one) => one.startsWith('__Host-ringfence-openid='))!.split(';', 1)[0]!;
    const first = await begin('?to=/console/first');
    const second = await begin('?to=/console/second', { cookie: first.cookie });
    const third = await begin(`?to=/console/${'t'.repeat(500)}`, { cookie: second.cookie });
    const fourth = await begin('?to=/console/fourth', { cookie: third.cookie });
    expect(fourth.cookie.length).toBeLessThan(4_000);
    // The oldest attempt was dropped.
    const early = await comeBack(first.back, fourth.cookie);
    expect(refusal(early)).toBe('unconfirmed');
    const landed = await comeBack(third.back, kept(early));
    expect(landed.location).toBe(`/console/${'t'.repeat(500)}`);
    const next = await comeBack(second.back, kept(landed));
    expect(next.location).toBe('/console/second');
    const last = await comeBack(fourth.back, kept(next));
    expect(last.location).toBe('/console/fourth');
    expect(last.cookies.at(-1)).toContain('__Host-ringfence-openid=; ');
    expect(last.cookies.at(-1)).toContain('Max-Age=0');
  });

  it('does not take over a local account with the same address', async () => {
    await loggedIn(kit, { email: 'local@bank.example', roles: ['viewer'] });
    provider.person = { sub: 'u-2', email: 'local@bank.example', email_verified: true, groups: ['security'] };
    expect(refusal(await logIn())).toContain('taken');
  });

  it.each(['https://evil.example/', '//evil.example', '/management/v1', '/console/\\evil'])(
    'redirects to the console instead of %s',
    async (to) => {
      expect((await logIn(`?to=${encodeURIComponent(to)}`)).location).toBe('/console/');
    },
  );

  it.each([
    ['no name', '', 'no-name@bank.example'],
    ['blanks for a name', ' \n ', 'no-name@bank.example'],
    ['a name that is too long', 'Rosa '.repeat(60), `${'Rosa '.repeat(19)}Rosa`],
    ['a name that no database can store', 'Ro\u0000sa', 'Rosa'],
  ])('accepts a person with %s', async (_, name, shown) => {
    provider.person = { ...provider.person, sub: `u-${name.length}`, email: 'no-name@bank.example', name };
    const session = await sessionOf(await logIn());
    await kit.pool.query(`delete from account where email = 'no-name@bank.example'`);
    expect(session).toMatchObject({ account: { name: shown } });
  });

  it('records granted and revoked roles in the audit log, once', async () => {
    provider.person = { ...provider.person, sub: 'u-40', email: 'uma@bank.example', groups: ['security'] };
    await logIn();
    await logIn();
    provider.person = { ...provider.person, groups: ['fraud-team'] };
    await logIn();
    provider.person = { ...provider.person, groups: [] };
    await logIn();
    await logIn();
    const found = await kit.pool.query<{ actor: string; detail: string }>(
      `select actor, detail from audit_entry where action = 'openId.roles' and actor = 'uma@bank.example' order by seq`,
    );
    const by = provider.issuer;
    const all = { roles: [{ workspace: '*', roles: ['administrator'] }] };
    const team = { roles: [{ workspace: kit.workspace.id, roles: ['analyst', 'author'] }] };
    expect(found.rows.map(({ detail }) => JSON.parse(detail) as unknown)).toEqual([
      { by, after: all },
      { by, before: all, after: team },
      { by, before: team, after: { roles: [] } },
    ]);
  });

  it('is in the audit log, with the provider that confirmed it', async () => {
    await logIn();
    const found = await kit.pool.query<{ actor: string; detail: string }>(
      `select actor, detail from audit_entry where action = 'openSession' order by seq desc limit 1`,
    );
    expect(found.rows).toEqual([{ actor: 'rosa@bank.example', detail: JSON.stringify({ by: provider.issuer }) }]);
  });
});

describe('a failing log-in with the provider', () => {
  const refusedLast = async (): Promise<object> => {
    const found = await kit.pool.query<{ actor: string; detail: string }>(
      `select actor, detail from audit_entry where action = 'logIn.refused' order by seq desc limit 1`,
    );
    const { actor, detail } = found.rows[0]!;
    return { actor, ...(JSON.parse(detail) as object) };
  };

  it('is in the audit log under the confirmed identity', async () => {
    const by = provider.issuer;
    provider.person = { ...provider.person, sub: 'u-20', email: 'Nora@bank.example', groups: [] };
    await logIn();
    expect(await refusedLast()).toEqual({ actor: 'nora@bank.example', why: 'nothingGranted', by, subject: 'u-20' });
    provider.person = { ...provider.person, groups: ['security'] };
    await logIn();
    await kit.pool.query(`update account set disabled_at = now() where subject = 'u-20'`);
    provider.person = { ...provider.person, email: 'married@bank.example' };
    expect(refusal(await logIn())).toBe('disabled');
    // The name of the account.
    expect(await refusedLast()).toEqual({ actor: 'nora@bank.example', why: 'disabled', by, subject: 'u-20' });
    provider.person = { ...provider.person, sub: 'u-21', email: 'nora@bank.example' };
    await logIn();
    expect(await refusedLast()).toEqual({ actor: 'nora@bank.example', why: 'taken', by, subject: 'u-21' });
    provider.person = { ...provider.person, email_verified: false };
    await logIn();
    // Anyone can claim an address that the provider did not verify.
    expect(await refusedLast()).toEqual({ actor: 'unknown', why: 'noEmail', by, subject: 'u-21' });
    provider.spoil = 'signature';
    await logIn();
    expect(await refusedLast()).toEqual({ actor: 'unknown', why: 'unconfirmed' });
  });

  it('reports that there are too many accounts, and not that the address is taken', async () => {
    await kit.pool.query(
      `insert into account (id, email, name)
       select 'acc_' || translate(lpad(n::text, 12, '0'), '0189', 'abcd'), n || '@full.example', 'n'
         from generate_series(1, 2000 - (select count(*)::integer from account)) n`,
    );
    provider.person = { ...provider.person, sub: 'u-30', email: 'one-more@bank.example' };
    expect(refusal(await logIn())).toBe('full');
    const make = (email: string) => kit.call('POST', '/accounts', { body: { email, name: 'n', roles: [] } });
    expect(problemOf(await make('one-more@bank.example')).detail).toMatch(/^There are already 2000 accounts/);
    expect(problemOf(await make('1@full.example')).detail).toBe('The account 1@full.example already exists.');
    await kit.pool.query(`delete from account where email like '%@full.example'`);
  });

  it.each(['nonce', 'audience', 'signature', 'expired', 'issuer'] as const)(
    'a token with a wrong %s is refused',
    async (spoil) => {
      provider.spoil = spoil;
      expect(refusal(await logIn())).toContain('unconfirmed');
    },
  );

  it.each([
    ['denied', 'access_denied: not today'],
    ['refused', 'invalid_client: no such client'],
    ['broken', 'HTTP 500'],
  ] as const)(
    'a log-in that the provider has %s is refused, and the provider’s error is logged',
    async (spoil, said) => {
      provider.spoil = spoil;
      expect(refusal(await logIn())).toBe('unconfirmed');
      expect(kit.said.at(-1)).toMatchObject({ message: 'a log-in with OpenID failed', fields: { said } });
    },
  );

  it('is refused without the cookie of the attempt, with another cookie, and with another state', async () => {
    const { back, cookie } = await begin();
    const other = await begin();
    expect(refusal(await comeBack(back, undefined))).toContain('late');
    expect(refusal(await comeBack(back, `${cookie}x`))).toContain('late');
    expect(refusal(await comeBack(back, other.cookie))).toContain('unconfirmed');
    back.searchParams.set('state', 'x');
    expect(refusal(await comeBack(back, cookie))).toContain('unconfirmed');
  });

  it('is refused the second time, and after ten minutes', async () => {
    const { back, cookie } = await begin();
    expect((await comeBack(back, cookie)).location).toBe('/console/');
    expect(refusal(await comeBack(back, cookie))).toContain('unconfirmed');
    const late = await begin();
    kit.pass(10 * 60_000);
    expect(refusal(await comeBack(late.back, late.cookie))).toContain('late');
  });

  it.each([
    { person: {}, trusted: 'noEmail' },
    { person: { email: 'x@bank.example', email_verified: false }, trusted: 'noEmail' },
    // In the audit log it would look like an actor that is not a person.
    { person: { email: 'admin token', email_verified: true }, trusted: 'noEmail' },
    { person: { email: 'os:root' }, trusted: 'noEmail' },
    { person: { email: 'x@bank.example' }, trusted: '/console/' },
  ])('a person without a verified address is refused, unless addresses are trusted: %o', async (given) => {
    const settings = kit.deps.openId!.settings as { trustEmail: boolean };
    provider.person = { sub: 'u-3', groups: ['security'], ...given.person };
    expect(refusal(await logIn())).toBe('noEmail');
    settings.trustEmail = true;
    const { location } = await logIn().finally(() => (settings.trustEmail = false));
    expect(location).toContain(given.trusted);
  });

  it('is audited ten times per address, and then as often as the rate limit admits attempts', async () => {
    const callback = `${base}/callback?code=x&state=y`;
    const land = async (remoteAddress: string, url = callback): Promise<string | null> => {
      const { headers } = await kit.app.inject({ method: 'GET', url, remoteAddress });
      return new URL(String(headers.location), origin).searchParams.get('openId');
    };
    const flood = async (): Promise<void> => {
      for (let i = 0; i < 10; i++) await Promise.all(Array.from({ length: 3 }, () => land('198.51.100.7')));
    };
    const entered = async (): Promise<readonly object[]> => {
      const found = await kit.pool.query<object>(
        `select detail::json ->> 'why' as why, count(*)::integer as entries from audit_entry
          where action = 'logIn.refused' and address = '198.51.100.7' group by 1 order by 1`,
      );
      return found.rows;
    };
    await flood();
    expect(await entered()).toEqual([
      { why: 'late', entries: 10 },
      { why: 'tooOften', entries: 1 },
    ]);
    expect(await land('198.51.100.7', base)).toBe('tooOften');
    expect(await land('198.51.100.8')).toBe('late');
    kit.pass(60_000);
    await flood();
    expect(await entered()).toEqual([
      { why: 'late', entries: 11 },
      { why: 'tooOften', entries: 2 },
    ]);
  });

  it.each([
    [
      'of a person whose account is disabled at that moment',
      'disabled',
      `update account set disabled_at = now() where id = new.account_id`,
    ],
    ['that fails internally', 'failed', `raise 'a fault'`],
  ])('a log-in %s returns to the log-in page, which keeps the requested page', async (_, reason, happens) => {
    provider.person = { ...provider.person, sub: 'u-7', email: 'ida@bank.example' };
    const { back, cookie } = await begin('?to=/console/w/x/alerts?state=open');
    await kit.pool.query(`
      create function meanwhile() returns trigger language plpgsql as $$ begin ${happens}; return null; end $$;
      create trigger meanwhile after insert on account_role for each row execute function meanwhile()`);
    const landed = await comeBack(back, cookie);
    await kit.pool.query(`drop function meanwhile cascade; delete from account where subject = 'u-7'`);
    expect(refusal(landed)).toBe(reason);
    expect(wantedPage(landed)).toBe('/console/w/x/alerts?state=open');
  });

  it('continues to the requested page, whether the provider or Ringfence refuses it', async () => {
    const to = '?to=/console/w/x/alerts?state=open';
    provider.person = { ...provider.person, groups: ['staff'] };
    expect(wantedPage(await logIn(to))).toBe('/console/w/x/alerts?state=open');
    provider.spoil = 'denied';
    expect(wantedPage(await logIn(to))).toBe('/console/w/x/alerts?state=open');
    const late = await begin(to);
    kit.pass(10 * 60_000);
    expect(wantedPage(await comeBack(late.back, late.cookie))).toBe('/console/w/x/alerts?state=open');
    expect(wantedPage(await logIn())).toBeNull();
  });

  it('an unavailable provider is reported, and tried again', async () => {
    const away = new OpenIdLogIn({
      settings: { ...kit.deps.openId!.settings, issuer: 'http://127.0.0.1:9' },
      origin,
      master: testMasterKeys(),
    });
    await expect(away.begin({ to: '/console/', former: undefined }, 0)).rejects.toThrow('cannot be reached');
  });
});
