/** Guessing from anywhere must not lock the right person out: browsers that logged in before try apart from the crowd. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { base32, totpCode } from '../../../src/access/accounts/totp.ts';
import { managementKit, type ManagementKit, problemOf } from '../../api/support/management-kit.ts';
import { browser, type Browser, loggedIn, password } from './support/browser.ts';

const email = 'mara@bank.example';
const hourMs = 3_600_000;
let kit: ManagementKit;
let mara: Browser;

beforeAll(async () => {
  kit = await managementKit();
  kit.standStill();
  mara = await loggedIn(kit, { email, roles: ['analyst'] });
});
// Forgets the failures of the tests before.
beforeEach(() => kit.pass(hourMs));
afterAll(() => kit.close());

async function attempt(of: Browser, more: object = {}, remoteAddress = '127.0.0.1'): Promise<string> {
  const response = await of.call('POST', '/session', { body: { email, password, ...more }, remoteAddress });
  return response.statusCode === 201 ? 'open' : problemOf(response).code;
}

/** Wrong tries of strangers: of one address, or of many. */
async function crowd(addressOf: (at: number) => string, tries = 12): Promise<readonly string[]> {
  const codes: string[] = [];
  for (let at = 0; at < tries; at++) codes.push(await attempt(browser(kit), { password: 'a guess' }, addressOf(at)));
  return codes;
}

describe('while strangers guess', () => {
  it.each([
    ['from many addresses', (at: number) => `198.51.100.${at}`],
    ['from the own address', () => '127.0.0.1'],
  ])('%s, a known browser logs in, and another one waits', async (_, addressOf) => {
    expect((await crowd(addressOf)).slice(-2)).toEqual(['rate.limited', 'rate.limited']);
    expect(await attempt(browser(kit))).toBe('rate.limited');
    expect(await attempt(mara)).toBe('open');
  });

  it('a browser that is known for another account counts as a stranger', async () => {
    const eva = await loggedIn(kit, { email: 'eva@bank.example', roles: ['analyst'] });
    await crowd((at) => `198.51.100.${at}`);
    expect(await attempt(eva)).toBe('rate.limited');
  });

  it('a forged cookie counts as a stranger', async () => {
    await crowd((at) => `198.51.100.${at}`);
    const headers = { cookie: '__Host-ringfence-device=x.AAAA' };
    const response = await browser(kit).call('POST', '/session', { body: { email, password }, headers });
    expect(problemOf(response).code).toBe('rate.limited');
  });

  it('a person with a session changes the password', async () => {
    await attempt(mara);
    await crowd(() => '127.0.0.1');
    const body = { password, newPassword: password };
    expect((await mara.call('PUT', '/session/password', { body })).statusCode).toBe(204);
  });
});

it('a known browser has a limit of its own, and none for others', async () => {
  for (let i = 0; i < 10; i++) expect(await attempt(mara, { password: 'a guess' })).toBe('login.refused');
  expect(await attempt(browser(kit), {}, '198.51.100.7')).toBe('open');
  // Then it counts with the crowd, which has tries of its own.
  for (let i = 0; i < 10; i++) expect(await attempt(mara, { password: 'a guess' })).toBe('login.refused');
  expect(await attempt(mara)).toBe('rate.limited');
});

it('a browser is forgotten after half a year', async () => {
  await attempt(mara);
  kit.pass(181 * 24 * hourMs);
  await crowd((at) => `198.51.100.${at}`);
  expect(await attempt(mara)).toBe('rate.limited');
});

it('each failure is a line of the log, with its reason', async () => {
  const from = kit.said.length;
  await attempt(browser(kit), { password: 'a guess' }, '198.51.100.1');
  await kit.app.inject({ method: 'POST', url: '/management/v1/session', payload: {}, remoteAddress: '198.51.100.2' });
  await crowd(() => '198.51.100.3', 12);
  const failed = kit.said.slice(from).filter(({ message }) => message === 'a log-in failed');
  expect(failed.map(({ fields }) => fields['why'])).toEqual([
    'password',
    'unreadable',
    ...Array.from({ length: 9 }, () => 'password'),
    'limited',
  ]);
});

describe('the codes of a second factor', () => {
  const wrong = (): string => totpCode(Buffer.alloc(20), 1);
  let secret: Buffer;
  let recoveryCodes: readonly string[];
  const right = (): string => totpCode(secret, Math.floor(kit.deps.now() / 30_000));

  beforeAll(async () => {
    kit.pass(hourMs);
    await attempt(mara);
    const begun = await mara.call('POST', '/session/second-factor', { body: { password } });
    secret = secretOf(begun.json<{ key: string }>().key);
    const confirmed = await mara.call('POST', '/session/second-factor/confirm', { body: { code: right() } });
    ({ recoveryCodes } = confirmed.json<{ recoveryCodes: string[] }>());
  });

  it('are refused for good after 20 wrong ones, however slowly they are tried; a recovery code forgives them', async () => {
    for (let i = 0; i < 20; i++) {
      expect(await attempt(mara, { code: wrong() })).toBe('login.refused');
      kit.pass(60_000);
    }
    kit.pass(365 * 24 * hourMs);
    expect(await attempt(mara, { code: right() })).toBe('login.refused');
    expect(kit.said.at(-1)?.fields).toMatchObject({ why: 'codesUsedUp' });
    expect(await attempt(mara, { code: recoveryCodes[0]! })).toBe('open');
    expect(await attempt(mara, { code: right() })).toBe('open');
  });

  it('are forgiven one wrong one by each right one', async () => {
    const left = async (): Promise<unknown> =>
      (await kit.pool.query(`select wrong_codes from account where email = $1`, [email])).rows;
    for (let i = 0; i < 3; i++) await attempt(mara, { code: wrong() });
    expect(await left()).toEqual([{ wrong_codes: 3 }]);
    kit.pass(30_000);
    expect(await attempt(mara, { code: right() })).toBe('open');
    expect(await left()).toEqual([{ wrong_codes: 2 }]);
  });
});

/** Of base32, as an authenticator app reads it. */
function secretOf(key: string): Buffer {
  const bits = Array.from(key, (digit) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(digit).toString(2).padStart(5, '0'),
  );
  const bytes = bits
    .join('')
    .match(/.{8}/g)!
    .map((byte) => Number.parseInt(byte, 2));
  const secret = Buffer.from(bytes);
  expect(base32(secret)).toBe(key);
  return secret;
}
