/** The OpenID provider ends sessions: at once, by a token that only it can sign, and each token once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OpenIdLogIn } from '../../../src/access/accounts/open-id.ts';
import { managementKit, type ManagementKit, problemOf } from '../../api/support/management-kit.ts';
import { testMasterKeys } from '../../support/installation.ts';
import { openIdProvider, type Provider, settingsOf } from './support/open-id-provider.ts';

const origin = 'https://console.example';
const base = '/management/v1/session/openid';
let provider: Provider;
let kit: ManagementKit;

beforeAll(async () => {
  provider = await openIdProvider();
  const settings = settingsOf(provider, [{ value: 'team', role: 'analyst', workspace: 'bank:production' }]);
  const openId = new OpenIdLogIn({ settings, origin, master: testMasterKeys() });
  kit = await managementKit({ openId, consoleOrigin: origin });
});
afterAll(async () => {
  await kit.close();
  await provider.close();
});

/** Logs in at the provider. @returns the session's cookie */
async function enter(name: string, sid: string): Promise<string> {
  provider.person = { sub: name, email: `${name}@bank.example`, email_verified: true, name, groups: ['team'], sid };
  const started = await kit.app.inject({ method: 'GET', url: base });
  const atProvider = await fetch(String(started.headers.location), { redirect: 'manual' });
  const { search } = new URL(atProvider.headers.get('location')!);
  const cookie = String(started.headers['set-cookie']).split(';', 1)[0]!;
  const landed = await kit.app.inject({ method: 'GET', url: `${base}/callback${search}`, headers: { cookie } });
  const cookies = [landed.headers['set-cookie'] ?? []].flat();
  return cookies.find((one) => one.startsWith('__Host-ringfence='))!.split(';', 1)[0]!;
}

async function isOpen(cookie: string): Promise<boolean> {
  const headers = { cookie, host: 'console.example' };
  return (await kit.app.inject({ method: 'GET', url: '/management/v1/session', headers })).statusCode === 200;
}

async function logOut(token: string): Promise<{ readonly status: number; readonly code?: string }> {
  const response = await kit.app.inject({
    method: 'POST',
    url: `${base}/log-out`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ logout_token: token }).toString(),
  });
  return response.statusCode === 200
    ? { status: 200 }
    : { status: response.statusCode, code: problemOf(response).code };
}

const refused = { status: 400, code: 'http.malformed' };

describe('a log-out token', () => {
  it('for a person ends all sessions of that person, and is entered in the audit log', async () => {
    const [one, two, other] = [await enter('rosa', 's1'), await enter('rosa', 's2'), await enter('ivo', 's3')];
    expect(await Promise.all([one, two, other].map(isOpen))).toEqual([true, true, true]);
    expect(await logOut(await provider.logOutToken({ sub: 'rosa' }))).toEqual({ status: 200 });
    expect(await Promise.all([one, two, other].map(isOpen))).toEqual([false, false, true]);
    const { rows } = await kit.pool.query<{ actor: string; detail: string }>(
      `select actor, detail from audit_entry where action = 'openId.logOut'`,
    );
    expect(rows).toEqual([
      { actor: 'rosa@bank.example', detail: JSON.stringify({ by: provider.issuer, sessions: 2 }) },
    ]);
  });

  it('for a session ends that one', async () => {
    const [one, two] = [await enter('eva', 'a'), await enter('eva', 'b')];
    expect(await logOut(await provider.logOutToken({ sid: 'a' }))).toEqual({ status: 200 });
    expect(await Promise.all([one, two].map(isOpen))).toEqual([false, true]);
  });

  it('of a person who has no session is accepted', async () => {
    expect(await logOut(await provider.logOutToken({ sub: 'stranger' }))).toEqual({ status: 200 });
  });

  it('is good once', async () => {
    await enter('ana', 's');
    const token = await provider.logOutToken({ sub: 'ana' });
    expect(await logOut(token)).toEqual({ status: 200 });
    const later = await enter('ana', 's');
    expect(await logOut(token)).toEqual(refused);
    expect(await isOpen(later)).toBe(true);
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another client', { aud: 'another' }],
    ['that is ten minutes old', { iat: Math.floor(Date.now() / 1_000) - 600 }],
    ['without a time', { iat: undefined }],
    ['without an id', { jti: undefined }],
    ['without the event', { events: { other: {} } }],
    ['without events', { events: undefined }],
    ['with a nonce, as an ID token has', { nonce: 'n' }],
    ['about no one', { sub: undefined }],
  ])('%s is refused', async (_, claims) => {
    const cookie = await enter('max', 'm');
    expect(await logOut(await provider.logOutToken({ sub: 'max', ...claims }))).toEqual(refused);
    expect(await isOpen(cookie)).toBe(true);
    await kit.pool.query(`delete from console_session`);
  });
});

describe('what is no log-out token', () => {
  beforeAll(() => kit.pass(60_000));

  it('is refused: another signature, no signature, no token', async () => {
    const cookie = await enter('gil', 'g');
    expect(await logOut(await provider.logOutToken({ sub: 'gil' }, 'another'))).toEqual(refused);
    const [, payload] = (await provider.logOutToken({ sub: 'gil' })).split('.');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    expect((await logOut(none)).status).toBeGreaterThanOrEqual(400);
    expect((await logOut('x')).status).toBeGreaterThanOrEqual(400);
    expect(await isOpen(cookie)).toBe(true);
  });

  it('counts like a wrong password', async () => {
    let last = await logOut('x');
    for (let i = 0; i < 10; i++) last = await logOut('x');
    expect(last).toEqual({ status: 429, code: 'rate.limited' });
  });
});
