import fastify, { type FastifyInstance } from 'fastify';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Health, type HealthCheck, healthPlugin } from '../../src/operations/health.ts';

let nowMs = 0;
const changes: (readonly [string, boolean])[] = [];
let app: FastifyInstance | undefined;

async function open(
  checks: readonly HealthCheck[],
): Promise<{ health: Health; get: (url: string) => Promise<readonly [number, unknown]> }> {
  const health = new Health({ checks, now: () => nowMs, onChange: (name, well) => changes.push([name, well]) });
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
  await app?.close();
  changes.length = 0;
  vi.useRealTimers();
});

describe('/healthz', () => {
  it('says that the process answers, whatever else is wrong', async () => {
    const { get } = await open([{ name: 'database', isWell: () => false }]);
    expect(await get('/healthz')).toEqual([200, { status: 'alive' }]);
  });
});

describe('/readyz', () => {
  it('is 200 when every check is well', async () => {
    const { get } = await open([
      { name: 'database', isWell: () => true },
      { name: 'engine', isWell: async () => true },
    ]);
    expect(await get('/readyz')).toEqual([200, { status: 'ready', checks: { database: 'well', engine: 'well' } }]);
  });

  it('is 503 with the names of those that are not, and not their reasons', async () => {
    const isWell = () => Promise.reject(new Error('password authentication failed for user "bank"'));
    const { get } = await open([
      { name: 'database', isWell },
      { name: 'engine', isWell: () => true },
    ]);
    expect(await get('/readyz')).toEqual([503, { status: 'notReady', checks: { database: 'failed', engine: 'well' } }]);
    expect(changes).toEqual([['database', false]]);
  });

  it('does not wait for a check that hangs', async () => {
    vi.useFakeTimers();
    const { health } = await open([{ name: 'database', isWell: () => new Promise(() => {}) }]);
    const answer = health.readiness();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await answer).toEqual({ ready: false, checks: { database: 'failed' } });
  });

  it('asks at most every tenth of a second, and tells a change once', async () => {
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
      ['database', false],
      ['database', true],
    ]);
  });

  it('asks a check that takes its time once, whoever asks meanwhile', async () => {
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

  it('is 503 from the moment the process is stopping', async () => {
    const { health, get } = await open([{ name: 'database', isWell: () => true }]);
    health.stop();
    expect(await get('/readyz')).toMatchObject([503, { status: 'notReady' }]);
    expect(await get('/healthz')).toMatchObject([200, {}]);
  });
});
