import { describe, expect, it } from 'vitest';
import { createRingfence, type Ringfence } from '../src/ringfence.ts';
import { fakeClock, settle } from './fake-clock.ts';
import { fakeTransport, type Reply } from './fake-transport.ts';

const status = {
  event: 'evt_1_1',
  status: 'decided',
  fired: [{ reason: 302, name: 'Many payees' }],
  suppressed: [],
  actions: [{ action: 2, message: 'Closed.', reason: 302, webhookId: 'act_k3x7q2ma_1_1_302_0', state: 'executed' }],
  session: { matched: true, active: false },
  client: { blocked: false },
};

function setUp(reply: Reply) {
  const clock = fakeClock();
  const transport = fakeTransport(() => reply);
  const ringfence: Ringfence = createRingfence({
    baseUrl: 'http://127.0.0.1:8080',
    licenseKey: 'key-of-a-test',
    environment: 'development',
    clock,
    transport,
  });
  return { clock, transport, ringfence };
}

const problem = (of: number, code: string): Reply => ({ status: of, body: JSON.stringify({ code, detail: 'why' }) });

describe('status', () => {
  it('asks once, and returns what the service answers', async () => {
    const { ringfence, transport } = setUp({ body: JSON.stringify(status) });
    expect(await ringfence.status({ event: 'evt_1_1' })).toEqual({ found: true, status });
    expect(transport.requests).toHaveLength(1);
    expect(transport.requests[0]).toMatchObject({ path: '/api-dev/v5/analytics/app/status', timeoutMs: 3_000 });
    expect(transport.requests[0]?.headers).not.toHaveProperty('idempotency-key');
    expect(String(transport.requests[0]?.body)).toBe('{"event":"evt_1_1"}');
  });

  it('has only session and client for a session', async () => {
    const answer = { session: { active: true }, client: { blocked: false } };
    const { ringfence } = setUp({ body: JSON.stringify(answer) });
    expect(await ringfence.status({ user: 'ana', session: '' })).toEqual({ found: true, status: answer });
  });

  it.each([
    ['an unknown event', problem(404, 'thing.unknown'), 'unknown'],
    ['a wrong path', problem(404, 'path.unknown'), 'refused'],
    ['a wrong question', problem(422, 'request.invalid'), 'refused'],
    ['a wrong key', problem(401, 'key.invalid'), 'refused'],
    ['too many requests', problem(429, 'rate.limited'), 'unavailable'],
    ['an outage', problem(503, 'database.unavailable'), 'unavailable'],
    ['a lost connection', new Error('reset'), 'unavailable'],
    ['a page of a proxy', { body: '<html>' }, 'unavailable'],
    ['half an answer', { body: '{"event":"evt_1_1","status":"decided"}' }, 'unavailable'],
    ['a broken answer', { body: '{"event":' }, 'unavailable'],
  ] as const)('%s is not found, and no error', async (_what, reply, why) => {
    const { ringfence } = setUp(reply);
    expect(await ringfence.status({ event: 'evt_1_1' })).toMatchObject({ found: false, why });
  });

  it('waits at most the timeout', async () => {
    const { ringfence, clock } = setUp('hang');
    const asked = ringfence.status({ event: 'evt_1_1' }, { timeoutMs: 200 });
    await settle();
    await clock.advance(200);
    expect(await asked).toEqual({ found: false, why: 'unavailable', detail: 'no answer within 200 ms' });
  });
});
