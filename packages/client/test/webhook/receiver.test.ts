import { describe, expect, it } from 'vitest';
import type { ActionResult, ReceivedAction } from '../../src/webhook/action.ts';
import { createMemoryDedupeStore, type DedupeStore } from '../../src/webhook/dedupe-store.ts';
import {
  createWebhookReceiver,
  type WebhookReceiver,
  type WebhookReceiverOptions,
  type WebhookTrouble,
} from '../../src/webhook/receiver.ts';
import { action, licenseKey, otherSecret, secret, signedRequest } from './signed-request.ts';

interface SetUp {
  readonly receiver: WebhookReceiver;
  readonly ran: ReceivedAction[];
  readonly troubles: WebhookTrouble[];
}

function setUp(
  handle: (action: ReceivedAction) => ActionResult | Promise<ActionResult> = () => ({ executed: true }),
  options: Partial<WebhookReceiverOptions> = {},
): SetUp {
  const ran: ReceivedAction[] = [];
  const troubles: WebhookTrouble[] = [];
  const receiver = createWebhookReceiver({
    licenseKeys: licenseKey,
    signingSecrets: secret,
    onAction: (action) => {
      ran.push(action);
      return handle(action);
    },
    onTrouble: (trouble) => void troubles.push(trouble),
    ...options,
  });
  return { receiver, ran, troubles };
}

describe('an action', () => {
  it('reaches the handler and is answered with code 1', async () => {
    const { receiver, ran } = setUp();
    const answer = await receiver.receive(signedRequest());
    expect(answer).toMatchObject({ status: 200, body: { code: 1 } });
    expect(ran).toEqual([{ ...action, id: 'act_1', isTest: false, event: 'evt_1_1' }]);
  });

  it('says which event and payment it is about, and which hold it ends', async () => {
    const { receiver, ran } = setUp();
    const told = { event: 'evt_test_1_7', resolves: 'act_k_1_7_301_0', reference: 'Factura%20%C3%B1%2E1' };
    expect((await receiver.receive(signedRequest(action, { told }))).status).toBe(200);
    expect(ran).toMatchObject([{ ...told, reference: 'Factura ñ.1' }]);
  });

  it('that was not executed is answered with code 0 and the message', async () => {
    const { receiver } = setUp(() => ({ executed: false, message: 'the user is on a call with us' }));
    const { status, body } = await receiver.receive(signedRequest());
    expect([status, body]).toEqual([200, { code: 0, message: 'the user is on a call with us' }]);
  });

  it('gets its message truncated, and keeps its answer', async () => {
    const { receiver } = setUp(() => ({ executed: true, message: 'x'.repeat(5_000) }));
    expect((await receiver.receive(signedRequest())).body.message).toHaveLength(1_000);
  });

  it('gets a lone surrogate in its message replaced', async () => {
    const { receiver } = setUp(() => ({ executed: true, message: `${'x'.repeat(999)}😀` }));
    expect((await receiver.receive(signedRequest())).body.message).toBe(`${'x'.repeat(999)}\ufffd`);
  });
});

describe('a request is refused', () => {
  type Headers = Readonly<Record<string, string | undefined>>;
  type Asked = readonly [...Parameters<typeof signedRequest>, changed?: Headers];
  /** The action's headers of another request, one second before. */
  function earlier(): Headers {
    const { headers } = signedRequest(action, { atMs: 999_999_999_000 });
    const names = ['ringfence-event', 'ringfence-signature'] as const;
    return Object.fromEntries(names.map((name) => [name, headers[name] as string]));
  }
  const ended = { event: 'evt_1_7', resolves: 'act_k_1_7_301_0' };
  const cases: readonly [string, { why: string; status: number }, Asked][] = [
    ['with another key', { why: 'key', status: 401 }, [action, { key: 'another key' }]],
    ['signed with another secret', { why: 'signature', status: 401 }, [action, { secret: otherSecret }]],
    ['signed 301 s ago', { why: 'timestamp', status: 401 }, [action, { atMs: 1_000_000_000_000 - 301_000 }]],
    ['signed 301 s ahead', { why: 'timestamp', status: 401 }, [action, { atMs: 1_000_000_000_000 + 301_000 }]],
    ['without a payload', { why: 'payload', status: 400 }, ['', {}]],
    [
      'with the headers of another action',
      { why: 'signature', status: 401 },
      [action, { told: { event: 'evt_1_1' } }, { 'ringfence-event': 'evt_1_2' }],
    ],
    [
      'with a header removed',
      { why: 'signature', status: 401 },
      [action, { told: { event: 'evt_1_1', reference: 'R' } }, { 'ringfence-reference': undefined }],
    ],
    ['with a header added', { why: 'signature', status: 401 }, [action, {}, { 'ringfence-resolves': 'act_9' }]],
    [
      'with values moved between headers',
      { why: 'signature', status: 401 },
      [
        action,
        { told: { event: 'evt_1_1', reference: 'R' } },
        { 'ringfence-resolves': 'R', 'ringfence-reference': undefined },
      ],
    ],
    [
      'with all signed headers removed',
      { why: 'signature', status: 401 },
      [action, {}, { 'ringfence-event': undefined, 'ringfence-signature': undefined }],
    ],
    ['with the signed headers of an earlier request', { why: 'signature', status: 401 }, [action, {}, earlier()]],
    [
      'with the hold of another action',
      { why: 'signature', status: 401 },
      [action, { told: ended }, { 'ringfence-resolves': 'act_k_1_8_301_0' }],
    ],
    [
      'with its hold removed',
      { why: 'signature', status: 401 },
      [action, { told: ended }, { 'ringfence-resolves': undefined }],
    ],
    [
      'with its hold cut off',
      { why: 'signature', status: 401 },
      [action, { told: ended }, { 'ringfence-resolves': 'act_k_1_7_301_' }],
    ],
    [
      'with its hold and its event swapped',
      { why: 'signature', status: 401 },
      [action, { told: ended }, { 'ringfence-resolves': 'evt_1_7', 'ringfence-event': 'act_k_1_7_301_0' }],
    ],
    ['with half a payload', { why: 'payload', status: 400 }, [{ action: 2 }, {}]],
  ];
  it.each(cases)('%s', async (_, { why, status }, [payload, signing, changed]) => {
    const nowMs = 1_000_000_000_000;
    const { receiver, ran, troubles } = setUp(undefined, { nowMs: () => nowMs });
    const request = signedRequest(payload, { atMs: nowMs, ...signing });
    const answer = await receiver.receive({ ...request, headers: { ...request.headers, ...changed } });
    expect(answer.status).toBe(status);
    expect(answer.body.code).toBe(0);
    expect(answer.body.message).toContain(status === 401 ? 'not authorized' : 'does not match the interface');
    expect(troubles).toMatchObject([{ kind: 'refused', why }]);
    expect(ran).toEqual([]);
  });

  it.each([-300_000, 300_000])('not when it was signed %i ms from now', async (byMs) => {
    const nowMs = 1_000_000_000_000;
    const { receiver } = setUp(undefined, { nowMs: () => nowMs });
    expect((await receiver.receive(signedRequest(action, { atMs: nowMs + byMs }))).status).toBe(200);
  });

  it.each([
    ['an empty id', { 'webhook-id': '' }],
    ['an id longer than any', { 'webhook-id': 'a'.repeat(257) }],
    ['a time with a letter in it', { 'webhook-timestamp': '1e9' }],
    ['an empty signature', { 'webhook-signature': '' }],
  ])('because of %s in its headers', async (_, headers) => {
    const { receiver, troubles } = setUp();
    const request = signedRequest();
    await receiver.receive({ ...request, headers: { ...request.headers, ...headers } });
    expect(troubles).toMatchObject([{ kind: 'refused', why: 'headers' }]);
  });

  it.each(['authorization', 'webhook-id', 'webhook-timestamp', 'webhook-signature'])('without %s', async (name) => {
    const { receiver, ran } = setUp();
    const request = signedRequest();
    const answer = await receiver.receive({ ...request, headers: { ...request.headers, [name]: undefined } });
    expect(answer.status).toBe(401);
    expect(ran).toEqual([]);
  });

  it.each(['NaN', '1e9', '-1', '', '99999999999999999999'])('with the timestamp %j', async (timestamp) => {
    const { receiver } = setUp();
    const request = signedRequest();
    const headers = { ...request.headers, 'webhook-timestamp': timestamp };
    expect((await receiver.receive({ ...request, headers })).status).toBe(401);
  });

  it('with the same message, whichever check it failed', async () => {
    const { receiver } = setUp();
    const wrongKey = await receiver.receive(signedRequest(action, { key: 'another key' }));
    const wrongSignature = await receiver.receive(signedRequest(action, { secret: otherSecret }));
    expect(wrongKey).toEqual(wrongSignature);
  });
});

it('accepts the longest id, and headers as lists of one', async () => {
  const { receiver } = setUp();
  const { headers, body } = signedRequest(action, { id: 'a'.repeat(256) });
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value as string]]));
  expect((await receiver.receive({ headers: lists, body })).status).toBe(200);
});

it('accepts two keys and two secrets during a rotation', async () => {
  const { receiver } = setUp(undefined, {
    licenseKeys: ['old key', licenseKey],
    signingSecrets: [otherSecret, secret],
  });
  const statuses = [
    await receiver.receive(signedRequest(action, { id: 'a' })),
    await receiver.receive(signedRequest(action, { id: 'b', key: 'old key', secret: otherSecret })),
  ].map(({ status }) => status);
  expect(statuses).toEqual([200, 200]);
});

describe('a repeat', () => {
  it('gets the same answer, and nothing runs again', async () => {
    const { receiver, ran } = setUp(() => ({ executed: true, message: `number ${ran.length}` }));
    const first = await receiver.receive(signedRequest(action, { atMs: Date.now() - 60_000 }));
    const second = await receiver.receive(signedRequest());
    expect(second).toEqual(first);
    expect(ran).toHaveLength(1);
  });

  it.each([42, null, new Error('sent, but slowly'), { toString: () => 'x' }])(
    'of an action whose message is not a string gets the same answer without it: %s',
    async (message) => {
      const { receiver, ran } = setUp(() => ({ executed: true, message }) as unknown as ActionResult);
      for (const _ of [1, 2, 3]) {
        const { status, body } = await receiver.receive(signedRequest());
        expect([status, body]).toEqual([200, { code: 1 }]);
      }
      expect(ran).toHaveLength(1);
    },
  );

  it('of an action that was not executed calls the handler again', async () => {
    const { receiver, ran } = setUp(() => ({ executed: ran.length > 1 }));
    const first = await receiver.receive(signedRequest());
    const second = await receiver.receive(signedRequest());
    expect([first.body.code, second.body.code]).toEqual([0, 1]);
    expect(await receiver.receive(signedRequest())).toEqual(second);
    expect(ran).toHaveLength(2);
  });

  it('of a running action waits for it', async () => {
    let finish: (result: ActionResult) => void = () => undefined;
    const { receiver, ran } = setUp(() => new Promise((resolve) => (finish = resolve)));
    const answers = Promise.all([receiver.receive(signedRequest()), receiver.receive(signedRequest())]);
    await new Promise((resolve) => setImmediate(resolve));
    finish({ executed: true, message: 'once' });
    expect((await answers).map(({ body }) => body)).toEqual([
      { code: 1, message: 'once' },
      { code: 1, message: 'once' },
    ]);
    expect(ran).toHaveLength(1);
  });

  it('of an action that another process runs is answered with 503', async () => {
    const dedupe = createMemoryDedupeStore();
    await dedupe.claim('act_1');
    const { receiver, ran } = setUp(undefined, { dedupe });
    const answer = await receiver.receive(signedRequest());
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' }, body: { code: 0 } });
    expect(ran).toEqual([]);
  });

  it('of a failed action executes it', async () => {
    let tries = 0;
    const { receiver, troubles } = setUp(() => {
      tries += 1;
      if (tries === 1) throw new Error('the core banking system is down');
      return { executed: true };
    });
    expect((await receiver.receive(signedRequest())).status).toBe(500);
    expect((await receiver.receive(signedRequest())).body.code).toBe(1);
    expect(troubles).toMatchObject([{ kind: 'failed', action: { id: 'act_1' } }]);
  });
});

describe('an error', () => {
  it.each([
    ['rejects', () => Promise.reject(new Error('no'))],
    ['returns nothing', () => undefined as unknown as ActionResult],
    ['returns something else', () => ({ code: 1 }) as unknown as ActionResult],
  ])('of a handler that %s: the response is 500, and the action is sent again', async (_, handle) => {
    const { receiver } = setUp(handle);
    const answer = await receiver.receive(signedRequest());
    expect(answer).toMatchObject({ status: 500, body: { code: 0 } });
  });

  it('of a store before the action: the response is 500, and nothing was executed', async () => {
    const released: string[] = [];
    const broken: DedupeStore = {
      ...createMemoryDedupeStore(),
      claim: () => Promise.reject(new Error('down')),
      release: async (id) => void released.push(id),
    };
    const { receiver, ran } = setUp(undefined, { dedupe: broken });
    expect((await receiver.receive(signedRequest())).status).toBe(500);
    expect(ran).toEqual([]);
    // Another process may own the claim.
    expect(released).toEqual([]);
  });

  it('of a store after the action: it was executed, and the answer reports it', async () => {
    const broken: DedupeStore = { ...createMemoryDedupeStore(), complete: () => Promise.reject(new Error('down')) };
    const { receiver, troubles } = setUp(undefined, { dedupe: broken });
    expect(await receiver.receive(signedRequest())).toMatchObject({ status: 200, body: { code: 1 } });
    expect(troubles).toHaveLength(1);
  });

  it('of a store that throws synchronously after the action: the same', async () => {
    const complete = (): never => {
      throw new Error('down');
    };
    const { receiver, troubles } = setUp(undefined, { dedupe: { ...createMemoryDedupeStore(), complete } });
    expect(await receiver.receive(signedRequest())).toMatchObject({ status: 200, body: { code: 1 } });
    expect(troubles).toHaveLength(1);
  });

  it.each([
    ['throws', fail],
    ['is not a promise', () => undefined],
  ])('of a store whose release %s: the action failed, and the response is 500', async (_, release) => {
    const dedupe = { ...createMemoryDedupeStore(), release } as unknown as DedupeStore;
    const { receiver } = setUp(() => fail(), { dedupe });
    expect((await receiver.receive(signedRequest())).status).toBe(500);
  });

  it.each<[string, (trouble: WebhookTrouble) => void]>([
    ['throws', fail],
    ['rejects', rejectTrouble],
  ])('of an onTrouble that %s', async (_, onTrouble) => {
    const { receiver } = setUp(undefined, { onTrouble });
    expect((await receiver.receive(signedRequest(action, { key: 'wrong' }))).status).toBe(401);
  });
});

it.each<[string, Partial<WebhookReceiverOptions>]>([
  ['no key', { licenseKeys: [] }],
  ['an empty key', { licenseKeys: [licenseKey, ''] }],
  ['a key with the line break of its file', { licenseKeys: `${licenseKey}\n` }],
  ['a key that no header can carry', { licenseKeys: ['clé'] }],
  ['no secret', { signingSecrets: [] }],
  ['a short secret', { signingSecrets: 'whsec_c2hvcnQ=' }],
])('%s is rejected at start', (_, options) => {
  expect(() => setUp(undefined, options)).toThrow(TypeError);
});

it.each([
  ['no options', {}, 'licenseKeys is empty'],
  ['a key that is not set', { licenseKeys: '', signingSecrets: secret }, 'licenseKeys is empty'],
  ['a second key that is not set', { licenseKeys: [licenseKey, undefined], signingSecrets: secret }, 'licenseKeys'],
  ['a secret that is not set', { licenseKeys: licenseKey, signingSecrets: '' }, 'signingSecrets is empty'],
  ['no secret', { licenseKeys: licenseKey, signingSecrets: [] }, 'signingSecrets is empty'],
  ['a secret that is none', { licenseKeys: licenseKey, signingSecrets: 'whsec_x' }, 'a signing secret must be base64'],
  ['nothing to do', { licenseKeys: licenseKey, signingSecrets: secret }, 'onAction is required'],
])('is rejected at start: %s', (_, options, message) => {
  expect(() => createWebhookReceiver(options as unknown as WebhookReceiverOptions)).toThrow(message);
});

function fail(): never {
  throw new Error('thrown on purpose');
}

/** A callback declared to return nothing may still be an async function. */
async function rejectTrouble(): Promise<void> {
  throw new Error('the log is down');
}
