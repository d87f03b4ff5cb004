/** Requesting a decision: it arrives in time or is pending, and the event is delivered either way. */
import assert from 'node:assert/strict';
import { describe, expect, it } from 'vitest';
import { readDecision } from '../src/decision.ts';
import type { DropReason } from '../src/drop.ts';
import type { RingfenceOptions } from '../src/options.ts';
import { createRingfence, type WaitOptions } from '../src/ringfence.ts';
import { fakeClock, settle } from './fake-clock.ts';
import { fakeTransport, type Reply } from './fake-transport.ts';
import { login, operation } from './sample-events.ts';

const decided = {
  id: 'evt_1_1',
  status: 'decided',
  fired: [{ reason: 302, name: 'Many payees' }],
  actions: [{ action: 2, message: 'Closed.', reason: 302, webhookId: 'act_k3x7q2ma_1_1_302_0' }],
  session: { matched: true },
};
const answered = { status: 200, body: JSON.stringify(decided) };
const pending = { status: 'pending' };

function setUp(reply: (number: number) => Reply, options: Partial<RingfenceOptions> = {}) {
  const clock = fakeClock();
  const drops: DropReason[] = [];
  const transport = fakeTransport((_request, number) => reply(number));
  const ringfence = createRingfence({
    baseUrl: 'http://127.0.0.1:8080',
    licenseKey: 'key-of-a-test',
    environment: 'production',
    onDrop: (reason) => void drops.push(reason),
    clock,
    random: () => 0.5,
    transport,
    ...options,
  });
  return { clock, transport, drops, ringfence };
}

describe('waitMs', () => {
  it('asks the service to wait, in whole seconds, and returns the decision', async () => {
    const { ringfence, transport } = setUp(() => answered);
    expect(await ringfence.operation(operation('r-1'), { waitMs: 300, idempotencyKey: 'k' })).toEqual(decided);
    expect(await ringfence.login(login(), { waitMs: 60_000 })).toEqual(decided);
    ringfence.login(login());
    await ringfence.flush(1_000);
    expect(transport.requests.map(({ headers, timeoutMs }) => [headers['prefer'], timeoutMs])).toEqual([
      ['wait=1', 6_000],
      ['wait=5', 10_000],
      [undefined, 5_000],
    ]);
    expect(transport.requests[0]?.headers['idempotency-key']).toBe('k');
  });

  it('limits the wait: then it is "pending", and the event is still delivered', async () => {
    const { ringfence, transport, clock } = setUp(() => 'hang');
    const decision = ringfence.operation(operation('r-1'), { waitMs: 300 });
    await settle();
    await clock.advance(300);
    expect(await decision).toEqual(pending);
    transport.release(answered);
    expect(await ringfence.flush(1_000)).toBe(true);
    expect(ringfence.stats()).toMatchObject({ delivered: 1, queued: 0 });
  });

  it('is not requested again when the caller no longer waits', async () => {
    const { ringfence, transport, clock } = setUp((number) => (number === 0 ? 503 : answered));
    const decision = ringfence.operation(operation('r-1'), { waitMs: 100 });
    await settle();
    await clock.advance(100);
    expect(await decision).toEqual(pending);
    await clock.advance(1_000);
    await settle();
    expect(transport.requests.map(({ headers }) => headers['prefer'])).toEqual(['wait=1', undefined]);
  });

  it.each<[string, Reply]>([
    ['accepted it', { status: 200, body: '{"id":"evt_1_1","status":"accepted"}' }],
    ['could not wait', { status: 200, body: '{"id":"evt_1_1","status":"pending"}' }],
    ['refused it', 422],
  ])('returns "pending" immediately when the service %s', async (_, reply) => {
    const { ringfence } = setUp(() => reply);
    expect(await ringfence.operation(operation('r-1'), { waitMs: 300 })).toEqual(pending);
  });

  it('returns "pending" for dropped events', async () => {
    const cycle = operation('r-1') as unknown as Record<string, unknown>;
    cycle['self'] = cycle;
    const { ringfence, drops, clock } = setUp(() => 'hang', { queueEventsMax: 1 });
    expect(await ringfence.operation(cycle as never, { waitMs: 300 })).toEqual(pending);
    const held = ringfence.operation(operation('r-2'), { waitMs: 300 });
    expect(await ringfence.operation(operation('r-3'), { waitMs: 300 })).toEqual(pending);
    const closed = ringfence.close(0);
    await clock.advance(0);
    await closed;
    expect(await held).toEqual(pending);
    expect(await ringfence.login(login(), { waitMs: 300 })).toEqual(pending);
    expect(drops.map(({ kind }) => kind)).toEqual(['unsendable', 'queueFull', 'closed', 'closed']);
  });

  const throwing = { valueOf: () => assert.fail('must not be called') };
  it.each([0, -1, Number.NaN, 'soon', null, -1n, Symbol('soon'), throwing])('treats %s as no wait', async (waitMs) => {
    const { ringfence } = setUp(() => answered);
    const decision = ringfence.operation(operation('r-1'), { waitMs } as unknown as WaitOptions);
    expect(await decision).toEqual(pending);
    await ringfence.flush(1_000);
    expect(ringfence.stats().delivered).toBe(1);
  });

  it.each([300n, '300'])('accepts %s as a time', async (waitMs) => {
    const { ringfence } = setUp(() => answered);
    expect(await ringfence.operation(operation('r-1'), { waitMs } as unknown as WaitOptions)).toEqual(decided);
  });
});

it.each([
  '',
  'null',
  '[]',
  '{"status":"decided"}',
  JSON.stringify({ ...decided, actions: [{ action: 2 }] }),
  JSON.stringify({ ...decided, fired: undefined }),
  JSON.stringify({ ...decided, id: 7 }),
  JSON.stringify(decided).slice(0, -1),
])('%s is not a decision', (body) => {
  expect(readDecision({ body, lag: undefined })).toEqual(pending);
});

describe('the lag that the service tells', () => {
  it.each(['decided', 'pending'])('comes with an answer that is %s', async (status) => {
    const body = JSON.stringify({ ...decided, status });
    const { ringfence } = setUp(() => ({ body, lag: '12.4' }));
    const decision = await ringfence.operation(operation('r-1'), { waitMs: 300 });
    expect(decision).toMatchObject({ status, lagSeconds: 12.4 });
  });

  it('is kept from the last answer that told it, also from one that refuses', async () => {
    const answers = [
      { status: 429, lag: '31.0' },
      { body: '{}', lag: 'soon' },
    ];
    const { ringfence, clock } = setUp((number) => answers[number]!);
    expect(ringfence.stats().lagSeconds).toBeUndefined();
    ringfence.operation(operation('r-1'));
    await clock.advance(60_000);
    expect(ringfence.stats()).toMatchObject({ delivered: 1, lagSeconds: 31 });
  });
});
