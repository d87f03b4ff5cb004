import { describe, expect, it } from 'vitest';
import { doorKit, login, problemOf, records } from '../support/door-kit.ts';

describe('a login that does not match its schema is refused', () => {
  it('with all wrong members listed together', async () => {
    const kit = await doorKit();
    const response = await kit.post('login', { channelId: '1', user: '', publicIp: null, session: 7 });
    expect(response.statusCode).toBe(422);
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(problemOf(response)).toEqual({
      type: 'urn:ringfence:problem:event.invalid',
      title: 'The event does not match its schema.',
      status: 422,
      detail: '5 members are wrong.',
      code: 'event.invalid',
      requestId: 'req-1',
      errors: [
        { pointer: '/channelId', detail: 'This is a string.', expected: 'a whole number from 0 to 2147483647' },
        { pointer: '/user', detail: 'The string is empty.', expected: 'a string of 1 to 256 characters' },
        { pointer: '/session', detail: 'This is a number.', expected: 'a string of at most 1024 characters' },
        { pointer: '/publicIp', detail: 'This is null.', expected: 'a string of at most 512 characters' },
        { pointer: '/data', detail: 'This member is missing.', expected: 'a string of at most 49152 characters' },
      ],
    });
    expect(await records(kit)).toEqual([]);
  });

  it('and its record contains no value that was sent', async () => {
    const kit = await doorKit();
    const headers = { 'x-request-id': 'trace-7' };
    const body = { ...login, user: 5, 'maria@example.com': { 'secret-name': 1e300 }, wide: 1 };
    await kit.post('login', JSON.stringify(body).replace('"wide":1', '"wide":{"maria":1e400}'), { headers });
    expect(kit.refused).toEqual([
      {
        atMs: expect.any(Number),
        workspaceId: kit.workspace.id,
        keyId: 'key-production',
        requestId: 'trace-7',
        method: 'POST',
        path: '/api/v5/analytics/app/login',
        status: 422,
        code: 'event.invalid',
        bodyBytes: expect.any(Number),
        errors: [
          { pointer: '/user', detail: 'This is a number.' },
          { pointer: '/*/*', detail: 'The number would lose precision.' },
        ],
      },
    ]);
    expect(JSON.stringify(kit.refused)).not.toMatch(/maria|secret/);
  });
});
