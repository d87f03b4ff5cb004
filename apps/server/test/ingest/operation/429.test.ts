import { describe, expect, it } from 'vitest';
import { developmentKey, doorKit, operation, problemOf } from '../support/door-kit.ts';

describe('a key that exceeds its rate limit is refused', () => {
  const settings = { rateLimit: { perSecond: 2, burst: 3 } };

  it('beyond its burst, until time has passed', async () => {
    const kit = await doorKit({ settings });
    const send = async (): Promise<number> => (await kit.post('operation', operation)).statusCode;
    expect([await send(), await send(), await send(), await send()]).toEqual([200, 200, 200, 429]);
    kit.pass(499);
    expect(await send()).toBe(429);
    kit.pass(1);
    expect([await send(), await send()]).toEqual([200, 429]);
    kit.pass(60_000);
    expect([await send(), await send(), await send(), await send()]).toEqual([200, 200, 200, 429]);
    kit.pass(-3_600_000);
    expect(await send()).toBe(429);
    kit.pass(500);
    expect(await send()).toBe(200);
  });

  it('with Retry-After, and recorded', async () => {
    const kit = await doorKit({ settings: { rateLimit: { perSecond: 0.2, burst: 1 } } });
    await kit.post('operation', operation);
    const response = await kit.post('operation', operation);
    expect(response.headers['retry-after']).toBe('5');
    expect(problemOf(response)).toMatchObject({ code: 'rate.limited', status: 429 });
    expect(kit.refused).toMatchObject([{ code: 'rate.limited', keyId: 'key-production' }]);
  });

  it('without affecting other keys', async () => {
    const kit = await doorKit({ settings: { rateLimit: { perSecond: 1, burst: 1 } } });
    await kit.post('operation', operation);
    expect((await kit.post('operation', operation)).statusCode).toBe(429);
    const path = '/api-dev/v5/analytics/app/operation';
    expect((await kit.post('operation', operation, { path, key: developmentKey })).statusCode).toBe(200);
  });

  it('only if a limit is set', async () => {
    const kit = await doorKit();
    for (let count = 0; count < 50; count++) expect((await kit.post('operation', operation)).statusCode).toBe(200);
  });
});
