import { describe, expect, it } from 'vitest';
import { doorKit, problemOf, records } from '../support/door-kit.ts';

describe('an operation that is not well-formed JSON is refused', () => {
  it.each([
    ['', ''],
    ['{"channelId":1', '/channelId'],
    ['{"channelId":1,"channelId":2}', '/channelId'],
    ['{"transaction":{"description":"a\\u0000b"}}', '/transaction/description'],
    ['{"account":{"client":"\\ud800"}}', '/account/client'],
    ['{"__proto__":{"admin":true}}', '/__proto__'],
    ['{"account":{"__proto__":{}}}', '/account/__proto__'],
    ['['.repeat(9), '/0/0/0/0/0/0/0/0'],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), ''],
  ])('%j', async (body, pointer) => {
    const kit = await doorKit();
    const response = await kit.post('operation', body);
    expect(response.statusCode).toBe(400);
    expect(problemOf(response)).toMatchObject({
      code: 'json.malformed',
      errors: [{ pointer, expected: expect.stringMatching(/./) }],
    });
    expect(await records(kit)).toEqual([]);
    expect(kit.refused).toMatchObject([{ status: 400, workspaceId: kit.workspace.id }]);
  });

  it('when there is no body', async () => {
    const kit = await doorKit();
    const { authorization } = { authorization: 'Bearer rf_live_production-key-of-the-tests-1234' };
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await kit.app.inject({ method: 'POST', url: '/api/v5/analytics/app/operation', headers });
    expect(response.statusCode).toBe(400);
  });
});
