import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementRoutes } from '../../src/api/routes.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
  kit.standStill();
});
afterAll(() => kit.close());

const wrong = 'Bearer rf_admin_another-token-of-the-right-length';

describe('a request without the admin token', () => {
  it.each([
    ['no header', ''],
    ['another token', wrong],
    ['another scheme', 'Basic cmluZ2ZlbmNlOnRva2Vu'],
    ['no token', 'Bearer'],
    ['two tokens', 'Bearer one two'],
    ['the right token, truncated', 'Bearer rf_admin_token-of-the-tests-of-managemen'],
  ])('with %s gets the same 401', async (name, authorization) => {
    const response = await kit.call('GET', '/workspaces', {
      headers: { authorization, 'x-request-id': 'same' },
      remoteAddress: `192.0.2.${name.length}`,
    });
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer realm="ringfence management"');
    expect(response.json()).toEqual({
      type: 'urn:ringfence:problem:token.invalid',
      title: 'The management token is missing or wrong.',
      status: 401,
      detail: 'Send the admin token, or a token that it created, as "Authorization: Bearer <token>".',
      code: 'token.invalid',
      requestId: 'same',
    });
  });

  const guarded = managementRoutes.filter(({ operation }) => operation.needs !== 'nothing');
  it.each(guarded.map(({ operation }) => [operation.method, operation.path] as const))(
    'is refused at %s %s',
    async (method, path) => {
      const url = path.replaceAll(/\{\w+\}/g, 'x');
      const headers = { authorization: '' };
      // Each route uses a different address, so that none is rate-limited.
      const remoteAddress = `2001:db8:${managementRoutes.findIndex(({ operation }) => operation.path === path)}::1`;
      const response = await kit.call(method, url, { headers, remoteAddress });
      expect(problemOf(response).code).toBe('token.invalid');
    },
  );

  it('gets 401 for unknown paths as well, and learns nothing', async () => {
    const headers = { authorization: '' };
    const response = await kit.call('GET', '/nothing', { headers, remoteAddress: '192.0.2.200' });
    expect(problemOf(response).code).toBe('token.invalid');
  });
});

describe('the scheme', () => {
  it('is case-insensitive', async () => {
    const { admin } = kit.deps;
    const response = await kit.call('GET', '/workspaces', { headers: { authorization: `bearer ${admin.token}` } });
    expect(response.statusCode).toBe(200);
  });
});

describe('an address that sends wrong tokens', () => {
  const remoteAddress = '198.51.100.1';
  const tryOnce = async (authorization: string, from = remoteAddress) =>
    kit.call('GET', '/workspaces', { headers: { authorization }, remoteAddress: from });

  it('is rate-limited after twenty, even with the right token, and may try again later', async () => {
    for (let i = 0; i < 20; i++) expect((await tryOnce(wrong)).statusCode).toBe(401);
    const limited = await tryOnce(wrong);
    expect(problemOf(limited).code).toBe('rate.limited');
    expect(Number(limited.headers['retry-after'])).toBe(2);
    expect((await tryOnce(`Bearer ${kit.deps.admin.token}`)).statusCode).toBe(429);
    expect((await tryOnce(`Bearer ${kit.deps.admin.token}`, '198.51.100.2')).statusCode).toBe(200);
    kit.pass(2_000);
    expect((await tryOnce(`Bearer ${kit.deps.admin.token}`)).statusCode).toBe(200);
    expect((await tryOnce(wrong)).statusCode).toBe(401);
    expect((await tryOnce(wrong)).statusCode).toBe(429);
  });

  it('is logged, but its tokens are not', () => {
    const warnings = kit.said.filter(({ level }) => level === 'warn');
    expect(warnings.map(({ fields }) => fields['address'])).toContain(remoteAddress);
    expect(JSON.stringify(kit.said)).not.toContain('rf_admin');
  });
});
