import type { ClientBase } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptInvitation, invite, inviteFirst } from '../../../src/access/accounts/invitations.ts';
import { hashPassword, HashingBusyError } from '../../../src/access/accounts/password-hash.ts';
import { findTotpStep, totpCode } from '../../../src/access/accounts/totp.ts';
import { managementKit, type ManagementKit, problemOf } from '../../api/support/management-kit.ts';
import { browser, type Browser, loggedIn, password } from './support/browser.ts';

let kit: ManagementKit;

beforeAll(async () => {
  kit = await managementKit();
  kit.standStill();
});

afterAll(() => kit.close());

interface Session {
  readonly account: { readonly id: string; readonly email: string; readonly secondFactor: boolean };
  readonly installation: readonly string[];
  readonly workspaces: readonly { readonly id: string; readonly rights: readonly string[] }[];
  readonly csrfToken: string;
}

describe('the first administrator', () => {
  const person = { email: 'Ana@Bank.example', name: 'Ana', password };
  let token: string;

  it('is required while there is no account', async () => {
    token = (await inviteFirst(kit.pool, kit.deps.now()))!.token;
    const options = await browser(kit).call('GET', '/session/options');
    expect(options.json()).toEqual({ first: true, password: true });
  });

  it.each(['short', 'x'.repeat(11), 'Password1234!'])('needs a better password than %j', async (short) => {
    const response = await browser(kit).call('POST', '/session/first', { body: { ...person, token, password: short } });
    expect(problemOf(response).code).toBe('request.invalid');
    expect(response.body).not.toContain(short);
  });

  it('needs the token that was printed', async () => {
    const response = await browser(kit).call('POST', '/session/first', { body: { ...person, token: 'guessed' } });
    expect(problemOf(response).code).toBe('invitation.invalid');
  });

  it('is checked for a link before a password is hashed', async () => {
    // Two are being hashed and thirty wait: another one would be refused.
    const full = Array.from({ length: 33 }, () => hashPassword(password).catch((error: unknown) => error));
    for (const path of ['/session/first', '/session/invitation']) {
      const body = { ...(path === '/session/first' ? person : { password }), token: 'guessed' };
      expect(problemOf(await browser(kit).call('POST', path, { body })).code).toBe('invitation.invalid');
    }
    expect((await Promise.all(full)).filter((one) => one instanceof HashingBusyError)).toHaveLength(1);
  });

  it('must be created within an hour', async () => {
    const { token: late } = (await inviteFirst(kit.pool, kit.deps.now() - 3_600_001))!;
    const response = await browser(kit).call('POST', '/session/first', { body: { ...person, token: late } });
    expect(problemOf(response).code).toBe('invitation.invalid');
  });

  it('is created once, is logged in, and may do everything', async () => {
    const window = browser(kit);
    const made = await window.call('POST', '/session/first', { body: { ...person, token } });
    expect(made.statusCode).toBe(201);
    const session: Session = made.json();
    expect(session.account.email).toBe('ana@bank.example');
    expect(session.installation).toEqual(['see', 'show', 'work', 'decide', 'write', 'approve', 'administer']);
    expect(session.workspaces.map(({ id }) => id)).toEqual([kit.workspace.id]);
    expect((await window.call('GET', '/session')).statusCode).toBe(200);
    const again = await browser(kit).call('POST', '/session/first', { body: { ...person, token } });
    expect(problemOf(again).code).toBe('invitation.invalid');
    expect(await inviteFirst(kit.pool, kit.deps.now())).toBeUndefined();
    expect((await browser(kit).call('GET', '/session/options')).json()).toEqual({ first: false, password: true });
  });

  it('leaves no password and no token in the database or in the log', async () => {
    const rows = await kit.pool.query(`select a.*, s.*, i.* from account a
      left join console_session s on s.account_id = a.id left join invitation i on i.account_id = a.id`);
    expect(JSON.stringify(rows.rows)).not.toContain(password);
    expect(JSON.stringify(kit.said)).not.toContain(password);
  });
});

describe('a session', () => {
  it('is a cookie that no script can read, and that is not sent by other sites or to other hosts', async () => {
    const window = browser(kit);
    const response = await window.call('POST', '/session', { body: { email: 'ANA@bank.example', password } });
    const [session, device] = [response.headers['set-cookie']].flat();
    expect(session).toMatch(/^__Host-ringfence=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200$/);
    expect(device).toMatch(
      /^__Host-ringfence-device=[\w-]+\.[\w-]+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=15552000$/,
    );
    expect(response.headers['cache-control']).toBe('no-store');
  });

  it('is missing without a cookie, and after log-out', async () => {
    expect(problemOf(await browser(kit).call('GET', '/session')).code).toBe('session.missing');
    const window = await enter('ana@bank.example');
    const stolen = window.cookie!;
    expect((await window.call('DELETE', '/session')).statusCode).toBe(204);
    expect(window.cookie).toBeUndefined();
    const after = await browser(kit).call('GET', '/session', { headers: { cookie: stolen } });
    expect(problemOf(after).code).toBe('session.missing');
  });

  it("is replaced at each log-in: the browser's previous one becomes invalid", async () => {
    const window = await loggedIn(kit, { email: 'twice@bank.example', roles: ['viewer'] });
    const former = window.cookie!;
    const body = { email: 'twice@bank.example', password };
    expect((await window.call('POST', '/session', { body })).statusCode).toBe(201);
    expect(window.cookie).not.toBe(former);
    expect((await window.call('GET', '/session')).statusCode).toBe(200);
    const stolen = await browser(kit).call('GET', '/session', { headers: { cookie: former } });
    expect(problemOf(stolen).code).toBe('session.missing');
  });

  it('ends after 15 minutes without use; background requests of a page do not count', async () => {
    const window = await enter('ana@bank.example');
    kit.pass(14 * 60_000);
    expect((await window.call('GET', '/session')).statusCode).toBe(200);
    kit.pass(14 * 60_000);
    const background = { headers: { 'x-background': '1' } };
    expect((await window.call('GET', '/session', background)).statusCode).toBe(200);
    kit.pass(2 * 60_000);
    expect(problemOf(await window.call('GET', '/session')).code).toBe('session.missing');
  });

  it('ends after 12 hours, used or not', async () => {
    const window = await enter('ana@bank.example');
    for (let minutes = 0; minutes < 12 * 60 - 10; minutes += 10) {
      kit.pass(10 * 60_000);
      expect((await window.call('GET', '/session')).statusCode).toBe(200);
    }
    kit.pass(10 * 60_000);
    expect(problemOf(await window.call('GET', '/session')).code).toBe('session.missing');
  });

  it('changes nothing without its CSRF token, or from another origin', async () => {
    const window = await enter('ana@bank.example');
    const change = { body: { language: 'es' } };
    for (const headers of [
      { 'x-csrf-token': '' },
      { 'x-csrf-token': 'x'.repeat(43) },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const refused = await window.call('PATCH', '/session/account', { ...change, headers });
      expect(problemOf(refused).code).toBe('request.foreign');
    }
    expect((await window.call('PATCH', '/session/account', change)).json()).toMatchObject({
      account: { language: 'es' },
    });
  });

  it('answers no page of another site, not even one of the same domain', async () => {
    const window = await loggedIn(kit, { email: 'lia@bank.example', roles: ['analyst'] });
    const path = `/workspaces/${kit.workspace.id}/events?show=true`;
    const looks = async (): Promise<number | null> =>
      (
        await kit.pool.query(
          `select 1 from audit_entry where action = 'personalData.show' and actor = 'lia@bank.example'`,
        )
      ).rowCount;
    for (const site of ['same-site', 'cross-site']) {
      const asked = await window.call('GET', path, { headers: { 'sec-fetch-site': site } });
      expect(problemOf(asked).code).toBe('request.foreign');
    }
    expect(await looks()).toBe(0);
    for (const site of ['same-origin', 'none']) {
      expect((await window.call('GET', path, { headers: { 'sec-fetch-site': site } })).statusCode).toBe(200);
    }
    expect(await looks()).toBe(2);
  });

  it('is not accepted from a page over plain HTTP whose domain resolves here (DNS rebinding)', async () => {
    const body = { email: 'mara@bank.example', password };
    const from = (scheme: string, host: string) =>
      browser(kit).call('POST', '/session', { body, headers: { host, origin: `${scheme}://${host}` } });
    expect(problemOf(await from('http', 'evil.example:8081')).code).toBe('request.foreign');
    for (const host of ['127.0.0.1:8081', '[::1]:8081', 'localhost:8081', 'ringfence:8081'])
      expect(problemOf(await from('http', host)).code).not.toBe('request.foreign');
    expect(problemOf(await from('https', 'fraud.bank.example:8081')).code).not.toBe('request.foreign');
  });

  it('is not opened for a page of another origin', async () => {
    const headers = { origin: 'https://evil.example' };
    const refused = await browser(kit).call('POST', '/session', {
      body: { email: 'ana@bank.example', password },
      headers,
    });
    expect(problemOf(refused).code).toBe('request.foreign');
  });
});

describe('a wrong log-in', () => {
  const refused = async (body: object, remoteAddress: string) =>
    problemOf(await browser(kit).call('POST', '/session', { body, remoteAddress }));

  it('gets the same answer for an unknown address and for a wrong password', async () => {
    const unknown = await refused({ email: 'nobody@bank.example', password }, '192.0.2.1');
    const wrong = await refused({ email: 'ana@bank.example', password: 'not it' }, '192.0.2.1');
    expect({ ...unknown, requestId: '' }).toEqual({ ...wrong, requestId: '' });
    expect(unknown.code).toBe('login.refused');
  });

  it('rate-limits the address after ten, whichever accounts it tries', async () => {
    const from = '192.0.2.2';
    for (let i = 0; i < 10; i++) {
      expect((await refused({ email: `p${i}@bank.example`, password }, from)).code).toBe('login.refused');
    }
    expect((await refused({ email: 'ana@bank.example', password }, from)).code).toBe('rate.limited');
    kit.pass(60_000);
    expect(
      (
        await browser(kit).call('POST', '/session', {
          body: { email: 'ana@bank.example', password },
          remoteAddress: from,
        })
      ).statusCode,
    ).toBe(201);
  });

  it('rate-limits the account after ten, from whatever address, and an unknown account as well', async () => {
    await loggedIn(kit, { email: 'ben@bank.example', roles: ['viewer'] });
    for (const email of ['ben@bank.example', 'nobody-else@bank.example']) {
      for (let i = 0; i < 10; i++) {
        expect((await refused({ email, password: 'not it' }, `198.51.100.${i}`)).code).toBe('login.refused');
      }
      expect((await refused({ email, password }, '198.51.100.99')).code).toBe('rate.limited');
    }
  });
});

describe('an invited person', () => {
  it('sets a password once, and sees only their own workspace', async () => {
    const other = await kit.addWorkspace();
    await kit.deps.registry.refresh();
    const window = await loggedIn(kit, { email: 'eva@bank.example', roles: ['viewer'] });
    const session: Session = (await window.call('GET', '/session')).json();
    expect(session.workspaces).toEqual([
      { id: kit.workspace.id, name: 'bank', environment: 'production', rights: ['see'] },
    ]);
    expect(session.installation).toEqual([]);
    const listed = await window.call('GET', '/workspaces');
    expect(listed.json<{ items: { id: string }[] }>().items.map(({ id }) => id)).toEqual([kit.workspace.id]);
    expect(problemOf(await window.call('GET', `/workspaces/${other.id}`)).code).toBe('thing.unknown');
    expect(problemOf(await window.call('GET', '/accounts')).code).toBe('right.missing');
  });

  it('is logged out immediately when an administrator ends their sessions', async () => {
    const window = await loggedIn(kit, { email: 'ida@bank.example', roles: ['viewer'] });
    const { account }: Session = (await window.call('GET', '/session')).json();
    const detail = await kit.call('GET', `/accounts/${account.id}`);
    expect(detail.json<{ sessions: unknown[] }>().sessions).toHaveLength(1);
    expect((await kit.call('POST', `/accounts/${account.id}/sessions/end`)).json()).toEqual({ ended: 1 });
    expect(problemOf(await window.call('GET', '/session')).code).toBe('session.missing');
  });

  it('cannot log in while disabled', async () => {
    const window = await loggedIn(kit, { email: 'leo@bank.example', roles: ['viewer'] });
    const { account }: Session = (await window.call('GET', '/session')).json();
    const disabled = await kit.call('PATCH', `/accounts/${account.id}`, { body: { disabled: true } });
    expect(disabled.json()).toHaveProperty('disabledAt');
    expect(problemOf(await window.call('GET', '/session')).code).toBe('session.missing');
    const body = { email: 'leo@bank.example', password };
    expect(problemOf(await browser(kit).call('POST', '/session', { body })).code).toBe('login.refused');
  });

  it('has no link while disabled, and cannot set a password with one', async () => {
    const window = await loggedIn(kit, { email: 'pia@bank.example', roles: ['viewer'] });
    const { account }: Session = (await window.call('GET', '/session')).json();
    await kit.call('PATCH', `/accounts/${account.id}`, { body: { disabled: true } });
    expect(problemOf(await kit.call('POST', `/accounts/${account.id}/invite`)).code).toBe('state.conflict');
    // A link requested by an administrator at the moment when another one disabled the account.
    const { token } = await invite(kit.pool, account.id, kit.deps.now());
    const late = await browser(kit).call('POST', '/session/invitation', { body: { token, password } });
    expect(problemOf(late).code).toBe('invitation.invalid');
    const taken = acceptInvitation(kit.pool, token, { password: 'a hash', nowMs: kit.deps.now() });
    await expect(taken).rejects.toThrow('invitation.invalid');
  });

  it.each([
    [
      'the password was changed',
      (window: Browser) =>
        window.call('PUT', '/session/password', { body: { password, newPassword: 'another horse another staple' } }),
    ],
    [
      'the account was disabled, and enabled again',
      async (_: Browser, id: string) => {
        await kit.call('PATCH', `/accounts/${id}`, { body: { disabled: true } });
        return kit.call('PATCH', `/accounts/${id}`, { body: { disabled: false } });
      },
    ],
  ])('sets no password with a link from before %s', async (what, change) => {
    const window = await loggedIn(kit, { email: `${what.length}@bank.example`, roles: ['viewer'] });
    const { account } = (await window.call('GET', '/session')).json<Session>();
    const { token } = (await kit.call('POST', `/accounts/${account.id}/invite`)).json<{ token: string }>();
    expect((await change(window, account.id)).statusCode).toBeLessThan(300);
    const late = await browser(kit).call('POST', '/session/invitation', { body: { token, password } });
    expect(problemOf(late).code).toBe('invitation.invalid');
  });

  it('has one link, even when several are created at the same time', async () => {
    const window = await loggedIn(kit, { email: 'ivo@bank.example', roles: ['viewer'] });
    const { account } = (await window.call('GET', '/session')).json<Session>();
    await Promise.all([1, 2, 3, 4].map(() => kit.call('POST', `/accounts/${account.id}/invite`)));
    const { rowCount } = await kit.pool.query(`select 1 from invitation where account_id = $1`, [account.id]);
    expect(rowCount).toBe(1);
  });

  it('changes the password, which ends the other sessions', async () => {
    const window = await loggedIn(kit, { email: 'zoe@bank.example', roles: ['viewer'] });
    const elsewhere = await enter('zoe@bank.example');
    const body = { password, newPassword: 'another horse another staple' };
    const wrong = await window.call('PUT', '/session/password', { body: { ...body, password: 'not it' } });
    expect(problemOf(wrong).code).toBe('login.refused');
    expect((await window.call('PUT', '/session/password', { body })).statusCode).toBe(204);
    expect((await window.call('GET', '/session')).statusCode).toBe(200);
    expect(problemOf(await elsewhere.call('GET', '/session')).code).toBe('session.missing');
  });
});

describe('a change while another request has verified the previous password', () => {
  const email = 'rui@bank.example';
  let window: Browser;
  let other: string;
  beforeAll(async () => {
    // Forgets the failures of the tests before.
    kit.pass(10 * 60_000);
    window = await loggedIn(kit, { email, roles: ['viewer'] });
    other = await hashPassword('the one that is set meanwhile');
  });

  /** Sets a password, as the link of an invitation does, while the request waits for the row of the account. */
  function setMeanwhile(request: () => ReturnType<Browser['call']>): ReturnType<Browser['call']> {
    return changedMeanwhile(request, (client) =>
      client.query(`update account set password = $2 where email = $1`, [email, other]),
    );
  }

  async function changedMeanwhile(
    request: () => ReturnType<Browser['call']>,
    change: (client: ClientBase) => Promise<unknown>,
  ): ReturnType<Browser['call']> {
    const client = await kit.pool.connect();
    try {
      await client.query(`begin`);
      await client.query(`select 1 from account where email = $1 for no key update`, [email]);
      const answer = request();
      const waits = async () =>
        (
          await client.query(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).rowCount;
      await expect.poll(waits).toBe(1);
      await change(client);
      await client.query(`delete from console_session s using account a where a.id = s.account_id and a.email = $1`, [
        email,
      ]);
      await client.query(`commit`);
      return await answer;
    } finally {
      client.release();
    }
  }
  const state = async (): Promise<readonly object[]> =>
    (
      await kit.pool.query<object>(
        `select a.password = $2 as stays, count(s.id)::integer as sessions
           from account a left join console_session s on s.account_id = a.id where a.email = $1 group by 1`,
        [email, other],
      )
    ).rows;

  it('of the password is kept, whatever the other request would set', async () => {
    const body = { password, newPassword: 'another horse another staple' };
    const changed = await setMeanwhile(() => window.call('PUT', '/session/password', { body }));
    expect(problemOf(changed).code).toBe('login.refused');
    expect(await state()).toEqual([{ stays: true, sessions: 0 }]);
  });

  it('of the password leaves no session of the previous password', async () => {
    await kit.pool.query(`update account set password = $2 where email = $1`, [email, await hashPassword(password)]);
    const entered = await setMeanwhile(() => browser(kit).call('POST', '/session', { body: { email, password } }));
    expect(problemOf(entered).code).toBe('login.refused');
    expect(await state()).toEqual([{ stays: true, sessions: 0 }]);
  });

  it('to a second factor leaves no session without it', async () => {
    await kit.pool.query(`update account set password = $2 where email = $1`, [email, await hashPassword(password)]);
    const entered = await changedMeanwhile(
      () => browser(kit).call('POST', '/session', { body: { email, password } }),
      (client) => client.query(`update account set totp_since = now() where email = $1`, [email]),
    );
    expect(problemOf(entered).code).toBe('login.refused');
    expect(await state()).toEqual([{ stays: false, sessions: 0 }]);
  });
});

describe('a second factor', () => {
  it('cannot be confirmed by guessing its first code, not even by many guesses at the same time', async () => {
    kit.pass(10 * 60_000);
    const window = await loggedIn(kit, { email: 'gil@bank.example', roles: ['analyst'] });
    await window.call('POST', '/session/second-factor', { body: { password } });
    const confirm = '/session/second-factor/confirm';
    const guesses = Array.from({ length: 30 }, () => window.call('POST', confirm, { body: { code: '000000' } }));
    const answers = Map.groupBy(await Promise.all(guesses), (answer) => problemOf(answer).code);
    expect([answers.get('login.refused')?.length, answers.get('rate.limited')?.length]).toEqual([10, 20]);
    kit.pass(10 * 60_000);
  });

  it('is required once it is confirmed; its codes are valid once', async () => {
    const email = 'max@bank.example';
    const window = await loggedIn(kit, { email, roles: ['analyst'] });
    const elsewhere = await enter(email);
    const begun = await window.call('POST', '/session/second-factor', { body: { password } });
    const { key } = begun.json<{ key: string }>();
    const secret = fromBase32(key);
    const code = (): string => totpCode(secret, Math.floor(kit.deps.now() / 30_000));
    expect(findTotpStep(secret, code(), { nowMs: kit.deps.now(), afterStep: 0 })).toBeDefined();
    const wrong = await window.call('POST', '/session/second-factor/confirm', { body: { code: '000000' } });
    expect(problemOf(wrong).code).toBe('login.refused');
    const first = code();
    const confirmed = await window.call('POST', '/session/second-factor/confirm', { body: { code: first } });
    const { recoveryCodes } = confirmed.json<{ recoveryCodes: string[] }>();
    expect(recoveryCodes).toHaveLength(10);
    expect(problemOf(await elsewhere.call('GET', '/session')).code).toBe('session.missing');

    const logIn = async (more: object) => browser(kit).call('POST', '/session', { body: { email, password, ...more } });
    expect(problemOf(await logIn({})).code).toBe('code.required');
    expect(problemOf(await logIn({ code: first })).code).toBe('login.refused'); // the confirmation used this code
    kit.pass(30_000);
    const next = code();
    expect((await logIn({ code: next })).statusCode).toBe(201);
    expect(problemOf(await logIn({ code: next })).code).toBe('login.refused');
    expect((await logIn({ code: recoveryCodes[3]!.toUpperCase() })).statusCode).toBe(201);
    expect(problemOf(await logIn({ code: recoveryCodes[3] })).code).toBe('login.refused');

    const other = browser(kit);
    await other.call('POST', '/session', { body: { email, password, code: recoveryCodes[4] } });
    expect((await window.call('POST', '/session/second-factor/remove', { body: { password } })).statusCode).toBe(204);
    expect(problemOf(await other.call('GET', '/session')).code).toBe('session.missing');
    expect((await logIn({})).statusCode).toBe(201);

    const { account } = (await window.call('GET', '/session')).json<Session>();
    await kit.call('POST', `/accounts/${account.id}/second-factor/remove`);
    expect(problemOf(await window.call('GET', '/session')).code).toBe('session.missing');
  });
});

describe('the last administrator', () => {
  it('cannot be removed', async () => {
    const accounts = (await kit.call('GET', '/accounts')).json<{ items: { id: string; email: string }[] }>().items;
    const { id } = accounts.find(({ email }) => email === 'ana@bank.example')!;
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { disabled: true }],
      ['PATCH', { roles: [] }],
    ] as const) {
      const response = await kit.call(method, `/accounts/${id}`, body === undefined ? {} : { body });
      expect(problemOf(response).code).toBe('state.conflict');
    }
    expect((await kit.call('GET', '/accounts')).json<{ items: unknown[] }>().items).toHaveLength(accounts.length);
  });
});

async function enter(email: string): Promise<Browser> {
  const window = browser(kit);
  expect((await window.call('POST', '/session', { body: { email, password } })).statusCode).toBe(201);
  return window;
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (digit) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0'),
  );
  return Buffer.from(
    bits
      .join('')
      .match(/.{8}/g)!
      .map((byte) => Number.parseInt(byte, 2)),
  );
}
