import { describe, expect, it } from 'vitest';
import { developmentKey, doorKit, login, logout, operation, problemOf, records } from '../support/door-kit.ts';

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

describe('an event beyond lagMax is refused', () => {
  const lag = { lagMs: () => 31_260, refusedSeconds: () => 7 };

  it('with Retry-After and the lag, counted, and not stored', async () => {
    const kit = await doorKit({ settings: { lagMax: 30 }, deps: { lag } });
    for (const [kind, body] of [
      ['operation', operation] as const,
      ['login', login] as const,
      ['logout', logout] as const,
    ]) {
      const response = await kit.post(kind, body);
      expect(problemOf(response)).toMatchObject({ code: 'lag.exceeded', status: 429 });
      expect(problemOf(response).detail).toContain('30 seconds');
      expect(response.headers).toMatchObject({ 'retry-after': '7', 'ringfence-lag': '31.3' });
    }
    expect(kit.refusedForLag).toEqual(Array(3).fill(kit.workspace.id));
    expect(kit.refused.map(({ code }) => code)).toEqual(Array(3).fill('lag.exceeded'));
    expect(await records(kit)).toEqual([]);
  });

  it('even if it was stored under the same Idempotency-Key before, because its body is not read', async () => {
    let refusedSeconds: number | undefined;
    const kit = await doorKit({ deps: { lag: { ...lag, refusedSeconds: () => refusedSeconds } } });
    const headers = { 'idempotency-key': 'k-1' };
    expect((await kit.post('operation', operation, { headers })).statusCode).toBe(200);
    refusedSeconds = 1;
    expect((await kit.post('operation', operation, { headers })).statusCode).toBe(429);
    refusedSeconds = undefined;
    expect((await kit.post('operation', operation, { headers })).headers['idempotency-replayed']).toBe('true');
  });

  it('but no outcome, and no question for a status', async () => {
    const kit = await doorKit({ deps: { lag } });
    const executed = { channelId: 1, outcome: 'executed', user: 'client-1', reference: 'r-1' };
    const outcome = await kit.post('outcome', executed);
    expect(outcome.statusCode).toBe(200);
    expect(outcome.headers['ringfence-lag']).toBe('31.3');
    const path = '/api/v5/analytics/app/status';
    const status = await kit.post('operation', {}, { path });
    expect(status.statusCode).toBe(422);
    expect(status.headers['ringfence-lag']).toBe('31.3');
  });
});

describe('the lag', () => {
  it('is told in every answer to a valid key, and in no other', async () => {
    const kit = await doorKit();
    expect((await kit.post('operation', operation)).headers['ringfence-lag']).toBe('0.0');
    expect((await kit.post('operation', '{')).headers['ringfence-lag']).toBe('0.0');
    const wrong = await kit.post('operation', operation, { key: 'rf_live_of-nobody-at-all-1234567890-abcd' });
    expect(wrong.statusCode).toBe(401);
    expect(wrong.headers).not.toHaveProperty('ringfence-lag');
  });
});
