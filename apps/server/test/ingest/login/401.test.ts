import { describe, expect, it } from 'vitest';
import { developmentKey, doorKit, login, problemOf, productionKey, records } from '../support/door-kit.ts';

const wrong: readonly (readonly [string, Record<string, string>])[] = [
  ['no header', { authorization: '' }],
  ['an unknown key', { authorization: 'Bearer rf_live_unknown' }],
  ['a key of the other environment', { authorization: `Bearer ${developmentKey}` }],
  ['the empty token', { authorization: 'Bearer ' }],
  ['another scheme', { authorization: `Basic ${productionKey}` }],
  ['the key alone', { authorization: productionKey }],
  ['the key and more', { authorization: `Bearer ${productionKey}x` }],
  ['an endless token', { authorization: `Bearer ${'x'.repeat(10_000)}` }],
];

describe('a login without a live key of its environment is refused', () => {
  it('with the same answer, whatever is wrong', async () => {
    const kit = await doorKit();
    const answers = new Set<string>();
    for (const [, headers] of wrong) {
      const response = await kit.post('login', login, { headers: { 'x-request-id': 'same', ...headers } });
      const { date: _date, ...rest } = response.headers;
      answers.add(JSON.stringify([response.statusCode, rest, response.body]));
    }
    expect(answers.size).toBe(1);
    const response = await kit.post('login', login, { key: 'x' });
    expect(response.statusCode).toBe(401);
    expect(response.headers['www-authenticate']).toBe('Bearer');
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(problemOf(response)).toMatchObject({ code: 'key.invalid', status: 401 });
    expect(await records(kit)).toEqual([]);
  });

  it.each(wrong)('with %s', async (_, headers) => {
    const kit = await doorKit();
    expect((await kit.post('login', login, { headers })).statusCode).toBe(401);
    expect(kit.refused).toMatchObject([{ code: 'key.invalid', workspaceId: undefined, keyId: undefined }]);
  });

  it('before anything else is checked', async () => {
    const kit = await doorKit();
    const headers = { 'content-type': 'text/plain', 'content-encoding': 'gzip' };
    expect((await kit.post('login', 'x'.repeat(100_000), { key: 'x', headers })).statusCode).toBe(401);
  });

  it('in the other environment too', async () => {
    const kit = await doorKit();
    const path = '/api-dev/v5/analytics/app/login';
    expect((await kit.post('login', login, { path })).statusCode).toBe(401);
    expect((await kit.post('login', login, { path, key: developmentKey })).statusCode).toBe(200);
    expect((await kit.post('login', login, { key: developmentKey })).statusCode).toBe(401);
  });

  it.each(['bearer', 'BEARER', 'Bearer  '])('but the scheme may be spelt %j', async (scheme) => {
    const kit = await doorKit();
    const headers = { authorization: `${scheme} ${productionKey}` };
    expect((await kit.post('login', login, { headers })).statusCode).toBe(200);
  });
});
