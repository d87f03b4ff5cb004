/** Operations that anybody on the network may call: small bodies, few errors told, and every failure counts. */
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { managementPrefix } from '../../src/api/openapi/document.ts';
import { isOpenChange } from '../../src/api/server/open-attempts.ts';
import { managementRoutes } from '../../src/api/routes.ts';
import { managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
  kit.standStill();
});
// Forgets the failures of the tests before.
beforeEach(() => kit.pass(60 * 60_000));
afterAll(() => kit.close());

const operations = managementRoutes.map(({ operation }) => operation).filter(isOpenChange);

async function send(
  url: string,
  payload: string,
  type = 'application/json',
): Promise<{ code: string; status: number }> {
  const response = await kit.app.inject({ method: 'POST', url, payload, headers: { 'content-type': type } });
  return { code: problemOf(response).code, status: response.statusCode };
}

it('are log-in, the first account and invitations', () => {
  expect(operations.map(({ id }) => id)).toEqual(['openSession', 'openFirstSession', 'acceptInvitation']);
});

describe.each(operations)('$id', ({ path, id }) => {
  const url = `${managementPrefix}${path}`;

  it('takes at most 8 KiB', async () => {
    const body = (bytes: number): string => `{"x":"${'y'.repeat(bytes - 8)}"}`;
    expect(await send(url, body(8 * 1024))).toEqual({ code: 'request.invalid', status: 422 });
    const response = await kit.app.inject({
      method: 'POST',
      url,
      payload: body(8 * 1024 + 1),
      headers: { 'content-type': 'application/json' },
    });
    expect(problemOf(response)).toMatchObject({ code: 'body.tooLarge', detail: 'Send at most 8,192 bytes.' });
  });

  it.each([
    { what: 'JSON that does not end', payload: '{', code: 'json.malformed' },
    { what: 'other members', payload: '{"a":1}', code: 'request.invalid' },
    { what: 'a member twice', payload: '{"email":"a","\\u0065mail":"b"}', code: 'json.malformed' },
    { what: 'a wrong media type', payload: 'x', type: 'text/plain', code: 'type.unsupported' },
    { what: 'too many bytes', payload: 'x'.repeat(9_000), code: 'body.tooLarge' },
  ])('counts $what like a wrong password', async ({ payload, type, code }) => {
    for (let i = 0; i < 10; i++) expect((await send(url, payload, type)).code).toBe(code);
    expect(await send(url, payload, type)).toEqual({ code: 'rate.limited', status: 429 });
    kit.pass(60_000);
    expect((await send(url, payload, type)).code).toBe(code);
  });

  it('refuses an address that failed too often before it reads a body', async () => {
    for (let i = 0; i < 10; i++) await send(url, '{');
    await kit.app.listen({ host: '127.0.0.1', port: 0 }).catch(() => undefined);
    const { port } = kit.app.server.address() as AddressInfo;
    const headers = { 'content-type': 'application/json', 'content-length': '100' };
    const status = await new Promise((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', method: 'POST', path: url, headers }, (response) => {
        resolve(response.statusCode);
        asked.destroy();
      });
      // The body never follows.
      asked.on('error', reject).flushHeaders();
    });
    expect([id, status]).toEqual([id, 429]);
  });
});

it('guessed links count as well', async () => {
  const guess = JSON.stringify({ token: 'guessed', password: 'correct horse battery staple' });
  for (let i = 0; i < 10; i++) {
    expect((await send(`${managementPrefix}/session/invitation`, guess)).code).toBe('invitation.invalid');
  }
  expect((await send(`${managementPrefix}/session/invitation`, guess)).code).toBe('rate.limited');
  // One count for all of them.
  expect((await send(`${managementPrefix}/session`, '{')).code).toBe('rate.limited');
});

it('audit the first refusal of an address, and no further one', async () => {
  for (let i = 0; i < 15; i++) await send(`${managementPrefix}/session`, '{');
  const refused = async (): Promise<readonly { detail: string }[]> =>
    (
      await kit.pool.query<{ detail: string }>(
        `select detail from audit_entry where action = 'logIn.refused' order by seq desc`,
      )
    ).rows;
  const before = await refused();
  expect(before[0]?.detail).toBe('{"why":"rate.limited"}');
  await send(`${managementPrefix}/session`, '{');
  expect(await refused()).toHaveLength(before.length);
});

it('tell 20 mistakes of 1,000, in a short answer', async () => {
  const body = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`m${i}`, 1]));
  const response = await kit.app.inject({ method: 'POST', url: `${managementPrefix}/session`, payload: body });
  expect(problemOf(response).code).toBe('body.tooLarge');
  const small = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`m${i}`, 1]));
  const told = await kit.app.inject({ method: 'POST', url: `${managementPrefix}/session`, payload: small });
  const { errors, detail } = problemOf(told);
  expect(errors?.map(({ pointer }) => pointer)).toEqual(Array.from({ length: 20 }, (_, i) => `/m${i}`));
  expect(detail.split('; ').filter((part) => part.includes('is not known'))).toHaveLength(20);
  expect(told.body.length).toBeLessThan(8_000);
});

it('do not repeat the long name of an unknown member', async () => {
  const response = await kit.app.inject({
    method: 'POST',
    url: `${managementPrefix}/session`,
    payload: { ['x'.repeat(5_000)]: 1 },
  });
  expect(problemOf(response).detail).toContain('the top level has a member with a name of 5000 characters');
  expect(response.body).not.toContain('xxx');
});
