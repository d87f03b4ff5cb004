/** HTTP-level errors, which are the same for every route. */
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { managementText } from '../../src/api/openapi/management-text.ts';
import { buildManagement } from '../../src/api/server/management-server.ts';
import { adminToken, managementKit, type ManagementKit, problemOf } from './support/management-kit.ts';

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
});
afterAll(() => kit.close());

describe('a path', () => {
  it('that is unknown is 404', async () => {
    expect(problemOf(await kit.call('GET', '/nothing'))).toMatchObject({ code: 'path.unknown', status: 404 });
  });

  it('with other methods is 405, and lists them', async () => {
    const response = await kit.at('DELETE', 'policies');
    expect(problemOf(response).code).toBe('method.wrong');
    expect(response.headers['allow']).toBe('GET, HEAD, POST');
  });

  it('accepts exactly the documented methods, and lists them', async () => {
    const { paths } = JSON.parse(managementText()) as { paths: Readonly<Record<string, object>> };
    const headers = { authorization: `Bearer ${adminToken}` };
    const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
    for (const [path, operations] of Object.entries(paths)) {
      const documented = Object.keys(operations).map((name) => name.toUpperCase());
      const accepted = methods.filter((one) => documented.includes(one === 'HEAD' ? 'GET' : one)).toSorted();
      const url = path.replaceAll(/\{\w+\}/g, 'x');
      for (const method of ['OPTIONS', ...methods.filter((one) => !accepted.includes(one))]) {
        const response = await kit.app.inject({ method: method as 'GET', url, headers });
        expect([method, path, response.statusCode, response.headers['allow']]).toEqual([
          method,
          path,
          405,
          accepted.join(', '),
        ]);
      }
    }
  });

  it.each(['/docs', '/openapi.json'])('%s accepts only GET and HEAD, and says so', async (url) => {
    expect((await kit.app.inject({ method: 'HEAD', url })).statusCode).toBe(200);
    const response = await kit.app.inject({ method: 'POST', url });
    expect([response.statusCode, problemOf(response).code]).toEqual([405, 'method.wrong']);
    expect(response.headers['allow']).toBe('GET, HEAD');
  });

  it.each([
    { method: 'QUERY', url: '/management/v1/workspaces', status: 405, payload: '' },
    { method: 'OPTIONS', url: '/management/v1/workspaces', status: 405, type: 'application/json', payload: '{' },
    { method: 'POST', url: '/nothing', status: 404, type: 'application/json', payload: '{' },
    { method: 'POST', url: '/nothing', status: 404, type: 'text/plain', payload: 'x' },
  ])('$method $url with $type is $status, whatever the body is', async ({ method, url, status, type, payload }) => {
    const headers = { authorization: `Bearer ${adminToken}`, ...(type === undefined ? {} : { 'content-type': type }) };
    const response = await kit.app.inject({ method: method as 'POST', url, headers, payload });
    expect(response.statusCode).toBe(status);
  });

  it('may end with a slash', async () => {
    expect((await kit.call('GET', '/workspaces/')).statusCode).toBe(200);
  });

  it('that cannot be decoded is 404', async () => {
    const response = await kit.app.inject({ url: '/management/v1/workspaces/%zz' });
    expect(problemOf(response).code).toBe('path.unknown');
    expect(response.headers['x-request-id']).toBeDefined();
  });

  it.each(['bank:production', 'bank%2Fproduction', 'bank%3Aproduction'])('names the workspace %s', async (name) => {
    expect((await kit.call('GET', `/workspaces/${name}`)).json()).toMatchObject({ id: kit.workspace.id });
  });

  it('with an unknown workspace is 404', async () => {
    expect(problemOf(await kit.call('GET', '/workspaces/bank:development/events'))).toMatchObject({
      code: 'thing.unknown',
      detail: 'There is no workspace "bank:development"; /management/v1/workspaces lists them.',
    });
  });

  it('with a name of 64 letters that need encoding is found', async () => {
    const name = 'ñ'.repeat(64);
    await kit.call('POST', '/workspaces', { body: { name, environment: 'development' } });
    const response = await kit.call('GET', `/workspaces/${encodeURIComponent(`${name}:development`)}`);
    expect(response.json()).toMatchObject({ name });
  });
});

describe('a query', () => {
  it('gets every error in one answer, with what was expected', async () => {
    const response = await kit.at('GET', 'events?limit=0&kind=lgin&clientt=ana&reason=3.5&from=yesterday');
    expect(problemOf(response).errors).toEqual([
      {
        pointer: '/limit',
        detail: 'limit: expected a whole number from 1 to 200, found "0"',
        expected: 'a whole number from 1 to 200',
      },
      {
        pointer: '/kind',
        detail: 'kind: expected login or logout or operation, found "lgin"; did you mean "login"?',
        expected: 'login or logout or operation',
      },
      { pointer: '/clientt', detail: 'clientt is not known; did you mean "client"?', expected: 'client' },
      {
        pointer: '/reason',
        detail: 'reason: expected a whole number from 1 to 2147483647, found "3.5"',
        expected: 'a whole number from 1 to 2147483647',
      },
      expect.objectContaining({ pointer: '/from', expected: expect.stringContaining('ISO 8601') }),
    ]);
  });

  it('in which a parameter occurs twice is refused', async () => {
    expect(problemOf(await kit.at('GET', 'events?limit=5&limit=6')).errors).toMatchObject([{ pointer: '/limit' }]);
  });

  it('is refused where none is accepted', async () => {
    expect(problemOf(await kit.at('GET', 'keys?limit=5')).errors).toMatchObject([{ pointer: '/limit' }]);
  });

  it.each(['Jos%E9', '%zz', '100%'])(
    'with the value %s, which is not percent-encoded UTF-8, is refused instead of finding nothing',
    async (client) => {
      const response = await kit.at('GET', `events?limit=1&client=${client}`);
      expect(problemOf(response)).toMatchObject({
        code: 'request.invalid',
        errors: [{ pointer: '/client', expected: 'percent-encoded UTF-8' }],
      });
    },
  );

  it('may contain characters with a special meaning elsewhere', async () => {
    expect((await kit.at('GET', 'events?client=a%3Fb?c%25&limit=1')).statusCode).toBe(200);
  });
});

describe('a body', () => {
  it('does not convert texts to numbers', async () => {
    const body = { channels: [{ id: '1', name: 'App' }] };
    expect(problemOf(await kit.at('PATCH', '', { body })).errors).toMatchObject([
      { pointer: '/channels/0/id', expected: 'a whole number from 0 to 2147483647' },
    ]);
  });

  it('without a required member is refused, naming the member', async () => {
    const response = await kit.call('POST', '/workspaces', { body: { environment: 'production' } });
    expect(problemOf(response).errors).toMatchObject([
      { pointer: '/name', expected: expect.stringContaining('a name') },
    ]);
  });

  it.each([[''], ['  ']])('of %j counts as none', async (payload) => {
    const response = await kit.call('POST', '/workspaces', { body: payload });
    expect(problemOf(response).errors?.map(({ pointer }) => pointer)).toEqual(['/name', '/environment']);
  });

  it.each([
    ['null', 'nothing'],
    ['[]', 'a list'],
    ['5', '5'],
    ['"x"', '"x"'],
  ])('of %s is not an object', async (payload, found) => {
    const response = await kit.call('POST', '/workspaces', { body: payload });
    expect(problemOf(response)).toMatchObject({
      code: 'request.invalid',
      errors: [{ pointer: '', detail: expect.stringContaining(`found ${found}`) }],
    });
  });

  it('of null counts as none where no body is expected', async () => {
    expect(problemOf(await kit.at('POST', 'actions/act_none/release', { body: 'null' })).code).toBe('thing.unknown');
  });

  it.each([
    ['cut', '{"name":"x",'],
    ['with a secret in it', '{"text": rf_live_abc}'],
  ])('that is not JSON (%s) is 400, and the answer does not quote it', async (_, payload) => {
    const response = await kit.call('POST', '/workspaces', { body: payload });
    expect(problemOf(response)).toMatchObject({
      code: 'json.malformed',
      errors: [{ pointer: '', detail: expect.stringMatching(/at (?:line 1 column \d+|the end)\.$/) }],
    });
    expect(response.body).not.toContain('rf_live_abc');
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty'])(
    'with %s as a member is 422, and changes nothing',
    async (name) => {
      const body = `{"name":"x","environment":"production","${name}":{"settings":{"deliver":"live"}},"settings":{"${name}":1}}`;
      const { errors = [] } = problemOf(await kit.call('POST', '/workspaces', { body }));
      expect(errors.map(({ pointer }) => pointer).toSorted()).toEqual([`/${name}`, `/settings/${name}`]);
      expect({}).not.toHaveProperty('settings');
    },
  );

  it.each([
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json; charset=iso-8859-1' },
    { 'content-encoding': 'gzip' },
  ])('in another format is 415: %j', async (headers) => {
    expect(problemOf(await kit.call('POST', '/workspaces', { body: '{}', headers })).code).toBe('type.unsupported');
  });

  it('that is not UTF-8 is refused: a name would be stored as a different one', async () => {
    const body = Buffer.from('{"name":"Bañco","environment":"production"}', 'latin1');
    expect(problemOf(await kit.call('POST', '/workspaces', { body }))).toMatchObject({
      code: 'json.malformed',
      errors: [{ pointer: '', expected: 'UTF-8' }],
    });
  });

  it('may begin with a byte order mark', async () => {
    const response = await kit.call('POST', '/workspaces', { body: '\uFEFF{"name":5}' });
    expect(problemOf(response).errors).toMatchObject([{ pointer: '/name' }, { pointer: '/environment' }]);
  });

  it('is refused where none is accepted: a caller who names one workspace does not mean all', async () => {
    const response = await kit.call('POST', '/deliveries/pause', { body: { workspace: 'acme/development' } });
    expect(problemOf(response).errors).toMatchObject([{ pointer: '/workspace', expected: 'no members' }]);
    expect((await kit.call('POST', '/deliveries/resume', { body: {} })).statusCode).toBe(204);
  });

  it('without its list gets the error that a list is missing', async () => {
    expect(problemOf(await kit.at('POST', 'labels', { body: {} })).errors).toMatchObject([
      { pointer: '/labels', expected: 'labels: a list' },
    ]);
  });

  it('of more than 1 MiB is 413, and of more than 4 MiB with the files of a policy', async () => {
    const mebibyte = 'x'.repeat(1024 * 1024);
    expect(problemOf(await kit.at('POST', 'labels', { body: { labels: mebibyte } })).code).toBe('body.tooLarge');
    const filesOf = (count: number): object => ({
      files: Array.from({ length: count }, (_, at) => ({ path: `${at}.json`, text: mebibyte })),
    });
    expect(problemOf(await kit.at('POST', 'policies/check', { body: filesOf(3) })).code).toBe('policy.invalid');
    expect(problemOf(await kit.at('POST', 'policies/check', { body: filesOf(4) })).code).toBe('body.tooLarge');
  });

  it.each([{ 'content-type': 'application/json' }, { 'content-type': 'application/json; charset=utf-8' }, {}])(
    'may be omitted where no member is required, with %j',
    async (headers) => {
      const response = await kit.app.inject({
        method: 'POST',
        url: '/management/v1/deliveries/resume',
        headers: { authorization: `Bearer ${adminToken}`, ...headers },
      });
      expect([response.statusCode, response.body]).toEqual([204, '']);
    },
  );
});

describe('every answer', () => {
  it('has its request id: the one that was sent, or a generated one', async () => {
    const named = await kit.call('GET', '/workspaces', { headers: { 'x-request-id': 'deploy-7f3a' } });
    expect(named.headers['x-request-id']).toBe('deploy-7f3a');
    const odd = await kit.call('GET', '/workspaces', { headers: { 'x-request-id': 'a b\tc' } });
    expect(odd.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(['/workspaces', '/nothing'])('forbids browsers to cache, sniff, frame or run it (%s)', async (path) => {
    const { headers } = await kit.call('GET', path);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers).not.toHaveProperty('strict-transport-security');
  });
});

it('during shutdown answers requests on open connections as usual', async () => {
  let answer: Promise<Response> | undefined;
  const plugin = async (app: FastifyInstance): Promise<void> => {
    app.addHook('preClose', async () => {
      const { port } = app.server.address() as AddressInfo;
      answer = fetch(`http://127.0.0.1:${port}/nothing`);
      await answer;
    });
  };
  const app = await buildManagement({ ...kit.deps, plugins: [plugin] });
  await app.listen({ host: '127.0.0.1', port: 0 });
  await app.close();
  const response = (await answer)!;
  expect([response.status, response.headers.get('content-type')]).toEqual([
    404,
    'application/problem+json; charset=utf-8',
  ]);
});

describe('a change', () => {
  it('is logged, without its content, with the end of the audit log', async () => {
    await kit.at('POST', 'deliveries/resume', { headers: { 'x-request-id': 'change-1' } });
    const { rows } = await kit.pool.query<{ seq: number; hash: Buffer }>(`select seq, hash from audit_head`);
    const { seq, hash } = rows[0]!;
    expect(kit.said).toContainEqual({
      level: 'info',
      fields: {
        operation: 'resumeWorkspace',
        workspace: kit.workspace.id,
        audit: { seq, hash: hash.toString('hex') },
        requestId: 'change-1',
        address: '127.0.0.1',
      },
      message: 'changed through the management API',
    });
  });
});
