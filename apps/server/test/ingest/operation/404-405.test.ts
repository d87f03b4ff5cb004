import { describe, expect, it } from 'vitest';
import { deviceKeysPlugin } from '../../../src/ingest/device-key-routes.ts';
import { healthPlugin } from '../../../src/platform/observability/health.ts';
import { type DoorKit, doorKit, operation, problemOf } from '../support/door-kit.ts';

describe('an unknown path is refused', () => {
  it.each([
    '/',
    '/api/v5/analytics/app',
    '/api/v5/analytics/app/transfer',
    '/api/v5/analytics/ios/operation',
    '/api/v4/analytics/app/operation',
    '/API/v5/analytics/app/operation',
    '/api/v5/analytics/app/operation/7',
    '/management/v1/workspaces',
  ])('%s', async (path) => {
    const kit = await doorKit();
    const response = await kit.post('operation', operation, { path });
    expect([response.statusCode, problemOf(response).code]).toEqual([404, 'path.unknown']);
    expect(kit.refused).toMatchObject([{ path: 'other', workspaceId: undefined }]);
    expect(kit.answers).toEqual([{ route: 'other', status: 404 }]);
  });

  it('even if it cannot be decoded', async () => {
    const kit = await doorKit();
    const response = await kit.post('operation', operation, { path: '/%zz' });
    expect([response.statusCode, problemOf(response).code]).toEqual([404, 'path.unknown']);
    expect(response.headers['x-request-id']).toBe('req-1');
    expect(kit.refused).toHaveLength(1);
  });
});

describe('another method is refused', () => {
  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)('%s', async (method) => {
    const kit = await doorKit();
    const response = await kit.app.inject({ method, url: '/api-dev/v5/analytics/web/operation/?x=1' });
    expect(response.statusCode).toBe(405);
    expect(response.headers['allow']).toBe('POST');
    expect(kit.refused).toMatchObject([{ method, path: '/api-dev/v5/analytics/web/operation', code: 'method.wrong' }]);
  });
});

describe('a wrong method or path is refused before its body is checked', () => {
  it.each([
    { method: 'OPTIONS', url: '/api-dev/v5/analytics/app/login', status: 405, type: 'application/json', payload: '' },
    { method: 'QUERY', url: '/api-dev/v5/analytics/app/login', status: 405, payload: '' },
    { method: 'POST', url: '/docs', status: 405, type: 'application/json', payload: '{' },
    { method: 'POST', url: '/nothing', status: 404, type: 'text/plain', payload: 'x' },
    { method: 'POST', url: '/nothing', status: 404, type: 'application/json', payload: 'x'.repeat(70_000) },
  ])('$method $url with $type is $status', async ({ method, url, status, type, payload }) => {
    const kit = await doorKit();
    const headers = type === undefined ? {} : { 'content-type': type };
    const response = await kit.app.inject({ method: method as 'POST', url, headers, payload });
    expect(response.statusCode).toBe(status);
    expect(kit.refused).toMatchObject([{ status }]);
  });
});

describe('a readable path', () => {
  const open = async (): Promise<{ readonly kit: DoorKit; readonly keys: string }> => {
    const { workspace } = await doorKit();
    const health = healthPlugin({ readiness: async () => ({ ready: true, checks: {} }) });
    const deviceKeys = deviceKeysPlugin({ byId: (id) => (id === workspace.id ? workspace : undefined) });
    const kit = await doorKit({ deps: { plugins: [health, deviceKeys] } });
    return { kit, keys: `/device/v1/keys/${workspace.id}` };
  };
  const paths = ['/healthz', '/readyz', '/docs', '/openapi.json', 'keys'] as const;

  it.each(paths)('%s answers HEAD like GET, without the body', async (path) => {
    const { kit, keys } = await open();
    const url = path === 'keys' ? keys : path;
    const [got, head] = [await kit.app.inject({ url }), await kit.app.inject({ method: 'HEAD', url })];
    expect([got.statusCode, head.statusCode, head.body]).toEqual([200, 200, '']);
    expect(head.headers['content-type']).toBe(got.headers['content-type']);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(got.body)));
    expect(kit.refused).toEqual([]);
  });

  it.each(paths)('%s refuses other methods with 405, and lists the allowed ones', async (path) => {
    const { kit, keys } = await open();
    const url = path === 'keys' ? `/${keys}/?x=1` : path;
    for (const method of ['POST', 'DELETE', 'OPTIONS'] as const) {
      const response = await kit.app.inject({ method, url });
      expect([response.statusCode, problemOf(response).code]).toEqual([405, 'method.wrong']);
      expect(response.headers['allow']).toBe('GET, HEAD');
    }
    expect(kit.refused[0]).toMatchObject({ method: 'POST', path: 'other', code: 'method.wrong' });
  });

  it('that does not exist is 404, whatever the method', async () => {
    const { kit } = await open();
    for (const url of ['/device/v1/keys', '/device/v1/keys/a/b', '/healthz/x', `/device/v1/keys/${'a'.repeat(200)}`]) {
      expect((await kit.app.inject({ method: 'GET', url })).statusCode).toBe(404);
    }
    expect((await kit.app.inject({ method: 'POST', url: '/healthz/x' })).statusCode).toBe(404);
  });
});
