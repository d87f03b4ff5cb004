import { openEvent } from '@ringfence/contract';
import { describe, expect, it } from 'vitest';
import { bytewiseIdempotency } from '../../../src/ingest/idempotency.ts';
import { open } from '../../../src/platform/secrets/seal.ts';
import { eventPlace } from '../../../src/records/event-opener.ts';
import {
  developmentKey,
  type DoorKit,
  doorKit,
  login,
  opened,
  operation,
  problemOf,
  records,
} from '../support/door-kit.ts';

describe('an operation is accepted', () => {
  it('with its own time, read in the time zone of the workspace', async () => {
    const kit = await doorKit();
    const response = await kit.post('operation', operation);
    expect(response.statusCode).toBe(200);
    expect(response.headers['warning']).toBeUndefined();
    const [record] = await records(kit);
    expect(opened(kit, record!).enrichment).toEqual({ statedAtMs: Date.UTC(2026, 10, 21, 16), facts: {} });
  });

  it('without a timestamp if it has transaction.date, with a warning', async () => {
    const kit = await doorKit();
    const response = await kit.post('operation', { channelId: 1, transaction: { date: '2026-11-21T10:00:00Z' } });
    expect(response.statusCode).toBe(200);
    expect(response.headers['warning']).toBe('299 ringfence "timestamp is missing; transaction.date was used"');
  });

  it('without a client, encrypted under the key of the workspace', async () => {
    const kit = await doorKit();
    expect((await kit.post('operation', { channelId: 1, timestamp: '2026-11-21' })).statusCode).toBe(200);
    const [record] = await records(kit);
    expect(record!.subject).toBeUndefined();
    expect(opened(kit, record!).event).toMatchObject({ kind: 'operation' });
    expect(kit.subjects.keys.size).toBe(0);
  });

  it('with all digits of its amount', async () => {
    const kit = await doorKit();
    const body = '{"channelId":1,"timestamp":"2026-11-21","order":{"amount":123456789012345678.100000}}';
    await kit.post('operation', body);
    const [record] = await records(kit);
    expect(opened(kit, record!)).toMatchObject({
      bodyText: body,
      event: { order: { amount: '123456789012345678.100000' } },
    });
  });

  it('and card hashes are stored as keyed hashes: equal for equal cards, different in another workspace', async () => {
    const hashes: unknown[] = [];
    for (const kit of [await doorKit(), await doorKit()]) {
      for (const _ of [1, 2]) await kit.post('operation', { ...operation, creditCard: { hash: 'a1b2c3' } });
      for (const record of await records(kit)) {
        const { event, bodyText } = opened(kit, record);
        expect(bodyText).not.toContain('a1b2c3');
        hashes.push(event.kind === 'operation' && event.creditCard?.hash);
      }
    }
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });

  it('with card numbers in free text masked', async () => {
    const kit = await doorKit();
    await kit.post('operation', { ...operation, transaction: { description: 'card 4111 1111 1111 1111' } });
    const [record] = await records(kit);
    expect(opened(kit, record!).bodyText).toContain('card 4111 11** **** 1111');
  });
});

describe('a test that a developer asks for', () => {
  const asking = { ...operation, transaction: { details: { 'ringfence.test': 'action:2' } } };

  it('is noted beside the operation in development, and is a detail like any other in production', async () => {
    const kit = await doorKit();
    await kit.post('operation', asking);
    const [record] = await records(kit);
    expect(opened(kit, record!).enrichment).not.toHaveProperty('sandbox');
    const path = '/api-dev/v5/analytics/app/operation';
    expect((await kit.post('operation', asking, { path, key: developmentKey })).statusCode).toBe(200);
    const [inDevelopment] = await kit.log.read('devdevde', 0, 1);
    const { key } = kit.subjects.keys.get('client-1')!;
    const plaintext = open(key, inDevelopment!.payload, eventPlace('devdevde', inDevelopment!));
    expect(openEvent('operation', plaintext).enrichment).toMatchObject({ sandbox: 'action:2' });
  });
});

describe('the Warning header', () => {
  const warned = async (changes: object, settings = {}): Promise<unknown> => {
    const kit = await doorKit({ settings });
    const response = await kit.post('operation', { ...operation, ...changes });
    expect(response.statusCode).toBe(200);
    return response.headers['warning'];
  };
  const late = 'the time of the event is more than 24 hours old or more than 5 minutes ahead';

  it.each([
    ['2026-11-20T16:00:00Z', undefined],
    ['2026-11-20T15:59:59Z', late],
    ['2026-11-21T16:05:00Z', undefined],
    ['2026-11-21T16:05:01Z', late],
    ['2006-01-01 00:00:00', late],
  ])('names a time that does not count: %s', async (timestamp, detail) => {
    const expected = detail === undefined ? undefined : `299 ringfence "${detail}; the time of arrival was used"`;
    expect(await warned({ timestamp })).toBe(expected);
  });

  it('names a channel that is not configured, of a login too', async () => {
    const expected =
      '299 ringfence "channelId is not a channel that this workspace configures; the default settings of channels were used"';
    expect(await warned({ channelId: 77 })).toBe(expected);
    const kit = await doorKit();
    expect((await kit.post('login', { ...login, channelId: 77 })).headers['warning']).toBe(expected);
    expect((await kit.post('login', login)).headers['warning']).toBeUndefined();
  });

  it('names a masked reference; with `cards: refuse` the reference is kept as sent', async () => {
    const transaction = { reference: '4111111111111111' };
    expect(await warned({ transaction })).toBe(
      '299 ringfence "transaction.reference looks like a card number or contains one, and was masked"',
    );
    expect(await warned({ transaction }, { cards: 'refuse' })).toBeUndefined();
  });

  it('lists all changes', async () => {
    const kit = await doorKit();
    const order = '"order":{"amount":3750.2999999999997,"currency":" usdt "}';
    const response = await kit.post(
      'operation',
      `{"channelId":1,"transaction":{"date":"2026-11-21 16:00:00Z"},${order}}`,
    );
    expect(response.headers['warning']).toBe(
      [
        '299 ringfence "timestamp is missing; transaction.date was used"',
        '299 ringfence "order.amount has more than 6 decimals and was rounded to 6"',
        '299 ringfence "order.currency was taken in capitals and without spaces around it"',
        '299 ringfence "order.currency is not a currency code of ISO 4217"',
      ].join(', '),
    );
    const [record] = await records(kit);
    expect(opened(kit, record!).event).toMatchObject({ order: { amount: '3750.3', currency: 'USDT' } });
  });
});

describe('an Idempotency-Key', () => {
  it('gives a retry the id of the first event, and marks the answer as replayed', async () => {
    const kit = await doorKit();
    const headers = { 'idempotency-key': 'order 7/é'.replace('é', 'e') };
    const first = await kit.post('operation', operation, { headers });
    const second = await kit.post('operation', operation, { headers });
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(second.statusCode).toBe(200);
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(second.json()).toEqual(first.json());
    expect((await records(kit)).map((record) => record.retryOf)).toEqual([undefined, 0]);
  });

  it('recognises the same JSON in another spelling', async () => {
    const kit = await doorKit();
    const headers = { 'idempotency-key': 'k' };
    const body = (amount: string, pan: string): string =>
      `{"channelId":1,"timestamp":"2026-11-21T16:00:00Z","order":{"amount":${amount},"currency":"MXN"},"more":["b","${pan}"]}`;
    const pan = '4111111111111111';
    const first = await kit.post('operation', body('10.10', pan), { headers });
    const spelling = `{ "more": ["\\u0062",\n"${pan}"], "order": {"currency":"MXN","amount":10.1},"timestamp":"2026-11-21T16:00:00Z","channelId":1 }`;
    const second = await kit.post('operation', spelling, { headers });
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect(second.json()).toEqual(first.json());
    // What is stored is masked, and equal; what was sent is not.
    const other = await kit.post('operation', body('10.10', '4111110000091111'), {
      headers,
    });
    expect(problemOf(other).code).toBe('key.reused');
    const reordered = await kit.post('operation', body('10.10', pan).replace(`"b","${pan}"`, `"${pan}","b"`), {
      headers,
    });
    expect(problemOf(reordered).code).toBe('key.reused');
  });

  it('stored with a hash of the bytes is recognised by the same bytes', async () => {
    const text = JSON.stringify(operation);
    let isFormer = true;
    const kit: DoorKit = await doorKit({
      append: (partition, entry, generation) => {
        if (!isFormer) return kit.log.append(partition, entry, generation);
        const indexKey = kit.workspace.secrets.index;
        const idempotency = bytewiseIdempotency(entry.idempotency!, { indexKey, body: Buffer.from(text) })!;
        return kit.log.append(partition, { ...entry, idempotency }, generation);
      },
    });
    const headers = { 'idempotency-key': 'k' };
    const first = await kit.post('operation', text, { headers });
    isFormer = false;
    expect((await kit.post('operation', text, { headers })).json()).toEqual(first.json());
    expect(problemOf(await kit.post('operation', ` ${text}`, { headers })).code).toBe('key.reused');
    expect(await records(kit)).toHaveLength(2);
  });

  it('gives a retry that id even in a later epoch of the log', async () => {
    const kit = await doorKit();
    const headers = { 'idempotency-key': 'k' };
    const first = await kit.post('operation', operation, { headers });
    kit.pass(60_000);
    kit.log.beginLife();
    expect((await kit.post('operation', operation, { headers })).json()).toEqual(first.json());
  });

  it('belongs to one kind of event, and is forgotten after a day', async () => {
    const kit = await doorKit();
    const headers = { 'idempotency-key': 'k' };
    await kit.post('operation', operation, { headers });
    expect((await kit.post('login', login, { headers })).headers['idempotency-replayed']).toBeUndefined();
    kit.pass(24 * 3_600_000);
    const response = await kit.post('operation', { ...operation, channelId: 2 }, { headers });
    expect(response.statusCode).toBe(200);
    expect(response.headers['idempotency-replayed']).toBeUndefined();
  });

  it('sent with another body is refused, and nothing is stored', async () => {
    const kit = await doorKit();
    const headers = { 'idempotency-key': 'k' };
    await kit.post('operation', operation, { headers });
    const response = await kit.post('operation', { ...operation, order: { amount: 10.51 } }, { headers });
    expect(response.statusCode).toBe(422);
    expect(problemOf(response).code).toBe('key.reused');
    expect(await records(kit)).toHaveLength(1);
  });

  it.each(['', 'x'.repeat(256), 'tab\there', 'ü'])('is refused if malformed: %j', async (key) => {
    const kit = await doorKit();
    const response = await kit.post('operation', operation, { headers: { 'idempotency-key': key } });
    expect([response.statusCode, problemOf(response).code]).toEqual([422, 'request.invalid']);
    expect(problemOf(response).errors).toMatchObject([
      { pointer: '/Idempotency-Key', expected: '1 to 255 printable ASCII characters' },
    ]);
    expect(kit.refused).toMatchObject([{ errors: [{ pointer: '/Idempotency-Key' }] }]);
    expect(await records(kit)).toEqual([]);
  });
});

describe('X-Request-Id', () => {
  it.each([
    ['trace-7:a/b+c=d@e_f.g', 'trace-7:a/b+c=d@e_f.g'],
    ['x'.repeat(128), 'x'.repeat(128)],
    ['x'.repeat(129), 'req-1'],
    ['', 'req-1'],
    ['two words', 'req-1'],
    ['<script>', 'req-1'],
    ['ü', 'req-1'],
  ])('%j is answered as %j', async (sent, answered) => {
    const kit = await doorKit();
    const response = await kit.post('operation', operation, { headers: { 'x-request-id': sent } });
    expect(response.headers['x-request-id']).toBe(answered);
    const refused = await kit.post('operation', '{', { headers: { 'x-request-id': 'again' } });
    expect([refused.headers['x-request-id'], problemOf(refused).requestId]).toEqual(['again', 'again']);
  });
});
