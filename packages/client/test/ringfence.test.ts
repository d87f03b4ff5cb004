import { describe, expect, it } from 'vitest';
import type { DropReason, OnDrop } from '../src/drop.ts';
import type { LoginEvent, OperationEvent, OutcomeReport, RingfenceEvent } from '../src/event.ts';
import type { RingfenceOptions } from '../src/options.ts';
import { createRingfence } from '../src/ringfence.ts';
import type { TransportRequest } from '../src/transport.ts';
import { fakeClock, settle } from './fake-clock.ts';
import { fakeTransport, type Reply } from './fake-transport.ts';
import { login, logout, operation } from './sample-events.ts';

interface Dropped {
  readonly reason: DropReason;
  readonly event: RingfenceEvent;
}

function setUp(reply: (request: TransportRequest, number: number) => Reply, options: Partial<RingfenceOptions> = {}) {
  const clock = fakeClock();
  const transport = fakeTransport(reply);
  const dropped: Dropped[] = [];
  const onDrop: OnDrop = (reason, event) => void dropped.push({ reason, event });
  const ringfence = createRingfence({
    baseUrl: 'http://127.0.0.1:8080',
    licenseKey: 'key-of-a-test',
    environment: 'production',
    onDrop,
    clock,
    random: () => 0.5,
    transport,
    ...options,
  });
  return { clock, transport, dropped, ringfence };
}

const referenceOf = (request: TransportRequest): string =>
  (JSON.parse(request.body.toString()) as OperationEvent).transaction?.reference ?? 'none';

describe('a request', () => {
  it('has the path, the key and a body with the digits of the amount', async () => {
    const { ringfence, transport } = setUp(() => 200);
    ringfence.login(login());
    ringfence.operation(operation('r-1'));
    ringfence.logout(logout());
    expect(await ringfence.flush(1_000)).toBe(true);
    expect(transport.requests.map(({ path }) => path)).toEqual([
      '/api/v5/analytics/app/login',
      '/api/v5/analytics/app/operation',
      '/api/v5/analytics/app/logout',
    ]);
    expect(transport.requests[0]?.headers).toMatchObject({
      authorization: 'Bearer key-of-a-test',
      'content-type': 'application/json',
    });
    expect(transport.requests[1]?.body.toString()).toContain('"amount":1250.50');
    expect(ringfence.stats()).toMatchObject({ delivered: 3, queued: 0, queuedBytes: 0, inFlight: 0 });
  });

  it.each([
    [{ environment: 'development' as const }, '/api-dev/v5/analytics/app/login'],
    [{ path: 'web' as const }, '/api/v5/analytics/web/login'],
    [{ baseUrl: 'https://bank.example/ringfence/' }, '/ringfence/api/v5/analytics/app/login'],
  ])('of %o goes to %s', async (options, path) => {
    const { ringfence, transport } = setUp(() => 200, options);
    ringfence.login(login());
    await ringfence.flush(1_000);
    expect(transport.requests[0]?.path).toBe(path);
  });

  it("uses the caller's idempotency key, or a new one", async () => {
    const { ringfence, transport } = setUp(() => 200);
    ringfence.login(login(), { idempotencyKey: 'payment-7' });
    ringfence.login(login('eva'));
    ringfence.login(login('luz'));
    await ringfence.flush(1_000);
    const keys = transport.requests.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toContain('payment-7');
    expect(new Set(keys).size).toBe(3);
  });
});

describe('an outcome', () => {
  it('goes to its own path, with the digits of its amounts', async () => {
    const { ringfence, transport } = setUp(() => 200);
    const report = {
      channelId: 1,
      outcome: 'fraud',
      event: 'evt_1_2',
      loss: '123456789012345678.10',
      recovered: 0,
    } as const;
    ringfence.outcome(report, { idempotencyKey: 'case-7' });
    expect(await ringfence.flush(1_000)).toBe(true);
    const [request] = transport.requests;
    expect(request?.path).toBe('/api/v5/analytics/app/outcome');
    expect(request?.headers).toMatchObject({ 'idempotency-key': 'case-7' });
    expect(request?.body.toString()).toBe(
      '{"channelId":1,"outcome":"fraud","event":"evt_1_2","loss":123456789012345678.10,"recovered":0}',
    );
  });

  it('is sent again with the same key until it is stored, and reported when it is refused', async () => {
    const { ringfence, transport, dropped, clock } = setUp((_, number) => (number < 2 ? 503 : 403));
    const report: OutcomeReport = { channelId: 1, outcome: 'fraud', user: 'ana', reference: 'R-1' };
    ringfence.outcome(report);
    await settle();
    await clock.advance(60_000);
    expect(transport.requests.length).toBeGreaterThan(1);
    expect(new Set(transport.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(dropped).toMatchObject([
      { reason: { kind: 'refused', status: 403 }, event: { kind: 'outcome', event: report } },
    ]);
  });

  it('never throws, whatever it is given', () => {
    const { ringfence, dropped } = setUp(() => 200);
    for (const report of [null, 7n, { loss: 'a lot' }, { recovered: Number.NaN }, { loss: 1n }]) {
      ringfence.outcome(report as unknown as OutcomeReport);
    }
    expect(dropped.map(({ reason }) => reason.kind)).toEqual(Array.from({ length: 5 }, () => 'unsendable'));
  });

  it('is typed: the result of a step-up needs its action, and only a chargeback has a stage', () => {
    const passed: OutcomeReport = {
      channelId: 1,
      outcome: 'stepUpPassed',
      webhookId: 'act_a_1_2_3_0',
      method: 'passkey',
    };
    // @ts-expect-error -- the action that asked for it is missing
    const nameless: OutcomeReport = { channelId: 1, outcome: 'stepUpPassed', event: 'evt_1_2' };
    // @ts-expect-error -- a reference alone names no operation
    const ownerless: OutcomeReport = { channelId: 1, outcome: 'executed', reference: 'R-1' };
    // @ts-expect-error -- fraud has no stage
    const staged: OutcomeReport = { channelId: 1, outcome: 'fraud', event: 'evt_1_2', stage: 'won' };
    expect([passed, nameless, ownerless, staged]).toHaveLength(4);
  });
});

describe('the caller', () => {
  it('regains control before anything is sent', () => {
    const { ringfence, transport } = setUp(() => 200);
    ringfence.login(login());
    expect(transport.requests).toHaveLength(0);
    expect(ringfence.stats().queued).toBe(1);
  });

  it('may change the event afterwards', async () => {
    const { ringfence, transport } = setUp(() => 200);
    const event = { ...login() };
    ringfence.login(event);
    event.user = 'somebody else';
    await ringfence.flush(1_000);
    expect(JSON.parse(transport.requests[0]?.body.toString() ?? '')).toMatchObject({ user: 'ana' });
  });

  it.each([
    ['a cycle', selfReference],
    ['a getter that throws', () => Object.defineProperty({}, 'user', { get: fail, enumerable: true })],
    ['null', () => null],
    ['a function', () => fail],
    ['a bigint', () => ({ channelId: 1n })],
  ])('never sees an error for %s', async (_, make) => {
    const { ringfence, dropped } = setUp(() => 200);
    expect(() => ringfence.login(make() as LoginEvent)).not.toThrow();
    expect(dropped.map(({ reason }) => reason.kind)).toEqual(['unsendable']);
    expect(await ringfence.flush(1_000)).toBe(true);
  });

  it('never sees an error for an amount that is not a number', () => {
    const { ringfence, dropped } = setUp(() => 200);
    ringfence.operation({ ...operation('r'), order: { amount: '12,50' } });
    ringfence.operation({ ...operation('r'), order: { amount: Number.NaN } });
    expect(dropped.map(({ reason }) => reason.kind)).toEqual(['unsendable', 'unsendable']);
  });

  it('never sees an error for an onDrop that throws, rejects or calls back', async () => {
    const throwing = setUp(() => 422, { onDrop: fail });
    throwing.ringfence.login(login());
    expect(await throwing.ringfence.flush(1_000)).toBe(true);

    const rejecting = setUp(() => 422, { onDrop: () => Promise.reject(new Error('the log is down')) as never });
    rejecting.ringfence.login(login());
    expect(await rejecting.ringfence.flush(1_000)).toBe(true);

    const again = setUp(() => 200, {
      queueEventsMax: 1,
      onDrop: (_, event) => event.kind === 'login' && again.ringfence.login(event.event),
    });
    again.ringfence.login(login());
    again.ringfence.login(login());
    expect(again.ringfence.stats().dropped.queueFull).toBe(2);
  });
});

describe('a dropped event', () => {
  it('is the newest one when the queue is full by count', async () => {
    const { ringfence, dropped, transport } = setUp(() => 200, { queueEventsMax: 2 });
    for (const reference of ['a', 'b', 'c']) ringfence.operation(operation(reference));
    expect(dropped).toEqual([{ reason: { kind: 'queueFull' }, event: { kind: 'operation', event: operation('c') } }]);
    await ringfence.flush(1_000);
    expect(transport.requests.map(referenceOf)).toEqual(['a', 'b']);
  });

  it('is the one that does not fit when the queue is full by bytes', () => {
    const { ringfence, dropped } = setUp(() => 200, { queueBytesMax: 500 });
    for (const reference of ['a', 'b', 'c']) ringfence.operation(operation(reference));
    expect(dropped.map(({ reason }) => reason.kind)).toEqual(['queueFull']);
    expect(ringfence.stats().queuedBytes).toBeLessThanOrEqual(500);
  });

  it('is one larger than the service accepts', () => {
    const { ringfence, dropped } = setUp(() => 200);
    ringfence.login({ ...login(), data: 'x'.repeat(70_000) });
    expect(dropped[0]?.reason).toMatchObject({ kind: 'tooLarge' });
    expect(ringfence.stats().queued).toBe(0);
  });

  it("is one that the service refuses, with the problem's code, detail and invalid fields", async () => {
    const body = JSON.stringify({
      code: 'event.invalid',
      title: 'The event does not match its schema.',
      detail: 'one member is wrong',
      errors: [{ pointer: '/user', detail: 'This is empty.', expected: 'a string' }],
    });
    const { ringfence, dropped, transport } = setUp(() => ({ status: 422, body, requestId: 'q-1' }));
    ringfence.operation(operation('r-1'));
    await ringfence.flush(1_000);
    expect(transport.requests).toHaveLength(1);
    const [{ reason, event } = {} as Dropped] = dropped;
    expect(reason).toEqual({
      kind: 'refused',
      status: 422,
      code: 'event.invalid',
      detail: 'one member is wrong; /user: This is empty. Expected: a string.',
      requestId: 'q-1',
    });
    // A double would print 1250.50 differently: it is returned as text, and could be sent again unchanged.
    expect(event).toEqual({ kind: 'operation', event: operation('r-1') });
  });
});

describe('a failed attempt', () => {
  it('does not cause a storm when Retry-After is 0', async () => {
    const { ringfence, transport, clock } = setUp(() => ({ status: 503, retryAfter: '0' }), { parallelMax: 8 });
    for (let i = 0; i < 500; i++) ringfence.login(login(`user-${i}`));
    await clock.advance(60_000);
    expect(transport.requests.length).toBeLessThan(32);
  });

  it.each([['refused', new Error('connect ECONNREFUSED')] as const, ['429', 429] as const, ['503', 503] as const])(
    'by %s is retried with the same key until it is stored',
    async (_, failure) => {
      const { ringfence, transport, clock } = setUp((_, number) => (number < 3 ? failure : 200));
      ringfence.operation(operation('r-1'));
      await clock.advance(10_000);
      expect(transport.requests).toHaveLength(4);
      expect(new Set(transport.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      expect(ringfence.stats()).toMatchObject({ delivered: 1, retried: 3, queued: 0 });
    },
  );

  it('doubles the wait each time, up to the longest wait', async () => {
    const { ringfence, transport, clock } = setUp(() => 500, { retryDelayMsMax: 1_000, eventAgeMsMax: 60_000 });
    const atMs: number[] = [];
    const send = transport.send.bind(transport);
    Object.assign(transport, { send: (request: TransportRequest) => (atMs.push(clock.nowMs()), send(request)) });
    ringfence.login(login());
    await clock.advance(4_000);
    const gaps = atMs.slice(1).map((at, i) => at - (atMs[i] ?? 0));
    // Half of the doubling wait, plus half of the rest: the jitter of this test is in the middle.
    expect(gaps.slice(0, 4)).toEqual([150, 300, 600, 750]);
  });

  it('waits as long as the service requests, and delays all other events as well', async () => {
    const { ringfence, transport, clock } = setUp((_, number) =>
      number === 0 ? { status: 429, retryAfter: '7' } : 200,
    );
    ringfence.login(login());
    await settle();
    ringfence.login(login('eva'));
    await clock.advance(6_900);
    expect(transport.requests).toHaveLength(1);
    expect(ringfence.stats().isBraked).toBe(true);
    await clock.advance(200);
    expect(ringfence.stats()).toMatchObject({ delivered: 2, isBraked: false });
  });

  it.each([
    ['was not looked at', 1],
    ['stands behind it', 2],
  ])(
    'blocks nothing once it is given up: an event that %s is sent after the requested pause',
    async (_, parallelMax) => {
      const { ringfence, transport, clock } = setUp((__, number) => (number === 0 ? 'hang' : 200), {
        parallelMax,
        eventAgeMsMax: 5_000,
      });
      ringfence.login(login());
      await clock.advance(4_000);
      ringfence.operation(operation('a-1'));
      await settle();
      transport.release({ status: 503, retryAfter: '2' });
      await clock.advance(1_999);
      expect(ringfence.stats()).toMatchObject({ dropped: { expired: 1 }, delivered: 0, queued: 1 });
      await clock.advance(1);
      expect(ringfence.stats()).toMatchObject({ delivered: 1, queued: 0 });
    },
  );

  it('drops the event when it is too old', async () => {
    const { ringfence, dropped, clock } = setUp(() => new Error('no route'), { eventAgeMsMax: 5_000 });
    ringfence.login(login());
    await clock.advance(6_000);
    expect(dropped.map(({ reason }) => reason)).toEqual([
      { kind: 'expired', attempts: expect.any(Number) as number, lastFailure: 'no route' },
    ]);
    expect(ringfence.stats().queued).toBe(0);
  });

  it('does not cause a storm: after some failures one probe at a time is sent', async () => {
    const { ringfence, transport, clock } = setUp(() => new Error('refused'), { parallelMax: 8 });
    for (let i = 0; i < 500; i++) ringfence.login(login(`user-${i}`));
    await clock.advance(0);
    const atFirst = transport.requests.length;
    // Eight at a time, and the four that were sent before the fifth consecutive failure.
    expect(atFirst).toBe(12);
    await clock.advance(60_000);
    // A minute of an outage: about a dozen probes, however much waits.
    expect(transport.requests.length - atFirst).toBeLessThan(20);
    expect(ringfence.stats().queued).toBe(500);
  });

  it('drops waiting events when they are too old, oldest first', async () => {
    const { ringfence, dropped, clock } = setUp(() => new Error('refused'), { eventAgeMsMax: 20_000 });
    for (let i = 0; i < 100; i++) ringfence.login(login(`user-${i}`));
    await clock.advance(40_000);
    expect(dropped.map(({ reason }) => reason.kind)).toEqual(Array.from({ length: 100 }, () => 'expired'));
    expect(ringfence.stats()).toMatchObject({ queued: 0, queuedBytes: 0 });
  });
});

it.each(['flush', 'close'] as const)('%s waits five seconds by default', async (name) => {
  const { ringfence, clock } = setUp(() => 'hang');
  ringfence.login(login());
  let ended: boolean | undefined;
  void ringfence[name]().then((isEmpty) => (ended = isEmpty));
  await clock.advance(4_999);
  expect(ended).toBeUndefined();
  await clock.advance(1);
  expect(ended).toBe(false);
});

describe('order', () => {
  it('of first attempts is kept within a session, while sessions run in parallel', async () => {
    const { ringfence, transport } = setUp(() => 'hang');
    ringfence.login(login());
    ringfence.operation(operation('a-1'));
    ringfence.operation(operation('a-2'));
    ringfence.operation(operation('b-1', 'eva'));
    await settle();
    expect(transport.requests.map(referenceOf)).toEqual(['none', 'b-1']);
    transport.release(503);
    await settle();
    // The login failed once and waits for its retry: its operations may overtake it.
    expect(transport.requests.map(referenceOf)).toEqual(['none', 'b-1', 'a-1']);
    transport.release(200);
    await settle();
    expect(transport.requests.map(referenceOf)).toEqual(['none', 'b-1', 'a-1', 'a-2']);
  });

  it('continues after an event of the session that was never sent', async () => {
    const { ringfence, transport, clock, dropped } = setUp(() => 'hang', { parallelMax: 1, eventAgeMsMax: 5_000 });
    ringfence.login(login('eva'));
    ringfence.login(login());
    await clock.advance(6_000);
    transport.release(200);
    await settle();
    expect(dropped.map(({ reason }) => reason.kind)).toEqual(['expired']);
    ringfence.operation(operation('a-1'));
    await settle();
    expect(transport.requests.map(referenceOf)).toEqual(['none', 'a-1']);
  });

  it('does not delay events without a client', async () => {
    const { ringfence, transport } = setUp(() => 'hang');
    for (let i = 0; i < 3; i++) ringfence.operation({ channelId: 1, timestamp: '2026-11-21T10:00:00Z' });
    await settle();
    expect(transport.requests).toHaveLength(3);
  });

  it('limits the number of concurrent requests', async () => {
    const { ringfence, transport } = setUp(() => 200, { parallelMax: 4 });
    for (let i = 0; i < 100; i++) ringfence.login(login(`user-${i}`));
    expect(await ringfence.flush(1_000)).toBe(true);
    expect(transport.parallelSeen).toBe(4);
  });
});

describe('the end', () => {
  it('flush reports a timeout', async () => {
    const { ringfence, clock, transport } = setUp(() => 'hang');
    ringfence.login(login());
    const flushed = ringfence.flush(1_000);
    await clock.advance(1_000);
    expect(await flushed).toBe(false);
    transport.release(200);
    expect(await ringfence.flush(1_000)).toBe(true);
  });

  it('close waits for queued events, and drops later ones', async () => {
    const { ringfence, dropped } = setUp(() => 200);
    ringfence.login(login());
    expect(await ringfence.close()).toBe(true);
    ringfence.login(login('late'));
    expect(dropped.map(({ reason }) => reason.kind)).toEqual(['closed']);
    expect(ringfence.stats().delivered).toBe(1);
  });

  it('close drops each event once: in an attempt, between attempts, and waiting', async () => {
    const { ringfence, clock, dropped, transport } = setUp((_, number) => (number === 0 ? 503 : 'hang'), {
      parallelMax: 2,
    });
    for (const user of ['a', 'b', 'c', 'd', 'e']) ringfence.login(login(user));
    ringfence.operation(operation('behind', 'b'));
    await settle();
    const closed = ringfence.close(1_000);
    await clock.advance(1_000);
    expect(await closed).toBe(false);
    transport.release(200);
    await settle();
    const names = dropped.map(({ event }) => (event.kind === 'login' ? event.event.user : 'behind'));
    expect(names.toSorted()).toEqual(['a', 'b', 'behind', 'c', 'd', 'e']);
    expect(ringfence.stats().dropped.closed).toBe(6);
    expect(ringfence.stats()).toMatchObject({ delivered: 0, queued: 0, queuedBytes: 0, inFlight: 0 });
  });
});

function fail(): never {
  throw new Error('thrown on purpose');
}

function selfReference(): object {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  return cycle;
}
