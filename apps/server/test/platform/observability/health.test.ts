import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  Health,
  type HealthChange,
  type HealthCheck,
  healthPlugin,
  sayHealth,
} from '../../../src/platform/observability/health.ts';

let nowMs = 0;
const changes: HealthChange[] = [];
let app: FastifyInstance | undefined;

async function open(
  checks: readonly HealthCheck[],
): Promise<{ health: Health; get: (url: string) => Promise<readonly [number, unknown]> }> {
  const health = new Health({ checks, monotonicMs: () => nowMs, onChange: (change) => changes.push(change) });
  const server = fastify();
  app = server;
  await server.register(healthPlugin(health));
  return {
    health,
    get: async (url) => {
      const answer = await server.inject({ url });
      return [answer.statusCode, answer.json()];
    },
  };
}

afterEach(async () => {
  nowMs = 0;
  await app?.close();
  changes.length = 0;
  vi.useRealTimers();
});

describe('/healthz', () => {
  it('is 200 while the process answers, whatever else is wrong', async () => {
    const { get } = await open([{ name: 'database', isWell: () => false }]);
    expect(await get('/healthz')).toEqual([200, { status: 'alive' }]);
  });
});

describe('/readyz', () => {
  it('is 200 when every check passes', async () => {
    const { get } = await open([
      { name: 'database', isWell: () => true },
      { name: 'engine', isWell: async () => true },
    ]);
    expect(await get('/readyz')).toEqual([200, { status: 'ready', checks: { database: 'well', engine: 'well' } }]);
  });

  it('is 503 with the names of the failed checks, but without the reasons', async () => {
    const isWell = () => Promise.reject(new Error('password authentication failed for user "bank"'));
    const { get } = await open([
      { name: 'database', isWell },
      { name: 'engine', isWell: () => true },
    ]);
    expect(await get('/readyz')).toEqual([503, { status: 'notReady', checks: { database: 'failed', engine: 'well' } }]);
    expect(changes).toEqual([{ check: 'database', well: false, error: expect.any(Error), times: 1, wasWell: false }]);
  });

  it('does not wait for a check that hangs', async () => {
    vi.useFakeTimers();
    const { health } = await open([{ name: 'database', isWell: () => new Promise(() => {}) }]);
    const answer = health.readiness();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await answer).toEqual({ ready: false, checks: { database: 'failed' } });
  });

  it('runs the checks at most every tenth of a second, and reports a change once', async () => {
    const isWell = vi.fn<() => boolean>(() => false);
    const { health } = await open([{ name: 'database', isWell }]);
    for (const atMs of [0, 99, 100, 200]) {
      nowMs = atMs;
      await health.readiness();
    }
    expect(isWell).toHaveBeenCalledTimes(3);
    isWell.mockReturnValue(true);
    nowMs = 2_000;
    expect(await health.readiness()).toMatchObject({ ready: true });
    expect(changes).toEqual([
      { check: 'database', well: false, error: undefined, times: 1, wasWell: false },
      { check: 'database', well: true, failedMs: 2_000 },
    ]);
    isWell.mockReturnValue(false);
    nowMs = 3_000;
    await health.readiness();
    expect(changes.at(-1)).toMatchObject({ well: false, times: 2, wasWell: true });
  });

  it('runs a slow check once for concurrent requests', async () => {
    const answered = Promise.withResolvers<boolean>();
    const isWell = vi.fn<() => Promise<boolean>>(() => answered.promise);
    const { health } = await open([{ name: 'database', isWell }]);
    nowMs = 10_000;
    const first = health.readiness();
    nowMs = 11_500;
    const second = health.readiness();
    answered.resolve(true);
    expect([await first, await second]).toMatchObject([{ ready: true }, { ready: true }]);
    expect(isWell).toHaveBeenCalledTimes(1);
    nowMs = 12_000;
    await health.readiness();
    expect(isWell).toHaveBeenCalledTimes(2);
  });

  it('is 503 as soon as the process is stopping', async () => {
    const { health, get } = await open([{ name: 'database', isWell: () => true }]);
    health.stop();
    expect(await get('/readyz')).toMatchObject([503, { status: 'notReady' }]);
    expect(await get('/healthz')).toMatchObject([200, {}]);
  });

  it('is 503 when the stop is announced while a check runs', async () => {
    const [begun, check] = [Promise.withResolvers<void>(), Promise.withResolvers<boolean>()];
    const isWell = (): Promise<boolean> => {
      begun.resolve();
      return check.promise;
    };
    const { health, get } = await open([{ name: 'database', isWell }]);
    const asked = get('/readyz');
    await begun.promise;
    health.stop();
    check.resolve(true);
    expect(await asked).toMatchObject([503, { status: 'notReady' }]);
  });
});

describe('the log', () => {
  it('reports that the database is lost and, once it is back, for how long', () => {
    const said: (readonly [string, object, string])[] = [];
    const at = (level: string) => (fields: object, message: string) => void said.push([level, fields, message]);
    const say = sayHealth({ info: at('info'), warn: at('warn'), error: at('error') });
    const error = new Error('connect ECONNREFUSED');
    say({ check: 'engine', well: false, error: undefined, times: 1, wasWell: false });
    say({ check: 'database', well: false, error, times: 1, wasWell: false });
    say({ check: 'engine', well: false, error: undefined, times: 3, wasWell: true });
    say({ check: 'database', well: true, failedMs: 10_250 });
    say({ check: 'engine', well: true, failedMs: 9_000 });
    expect(said).toEqual([
      ['info', { check: 'engine', well: false }, 'not ready yet'],
      ['error', { check: 'database', well: false, times: 1, err: error }, 'the database does not answer'],
      ['warn', { check: 'engine', well: false, times: 3, err: undefined }, 'health changed'],
      ['info', { check: 'database', well: true, failedMs: 10_250 }, 'the database answers again'],
      ['info', { check: 'engine', well: true, failedMs: 9_000 }, 'health changed'],
    ]);
  });
});
