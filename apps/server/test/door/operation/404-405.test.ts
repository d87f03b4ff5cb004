import { describe, expect, it } from 'vitest';
import { doorKit, operation, problemOf } from '../support/door-kit.ts';

describe('another path is refused', () => {
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

  it('that can not even be decoded', async () => {
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
