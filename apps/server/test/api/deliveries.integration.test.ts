/** The webhook round trip: attempts are listed, an executed block lasts until a person ends it, a client is erased. */
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EventDetail } from '../../src/api/events/event-schema.ts';
import type { PrintedAction, PrintedAttempt } from '../../src/api/actions/action-schema.ts';
import { httpReceiver, type Receiver } from '../deliver/support/receivers.ts';
import { login, managementKit, type ManagementKit, payment, problemOf } from './support/management-kit.ts';
import { patience } from '../../../../tools/testing/patience.ts';

const rules = `
actions:
  6: Ask a person
rules:
  - reason: 900
    name: Block on demand
    on: [operation]
    when: transaction.reference == "block"
    then: { action: 1, message: "Blocked." }
  - reason: 901
    name: An operation of a blocked client
    on: [operation]
    when: client.blocked
    then: { action: 6, message: "Still trying." }
`;

let kit: ManagementKit;
beforeAll(async () => {
  kit = await managementKit();
  await kit.startHost().ready;
  kit.dispatcher.start();
});
afterAll(() => kit.close());

let receiver: Receiver;
let answer: string;
beforeEach(async () => {
  answer = '{"code":1,"message":"done"}';
  receiver = await httpReceiver((_, response) => void response.end(answer));
  const webhook = { url: receiver.url };
  await kit.at('PATCH', '', { body: { settings: { webhook } } });
  const policy = { files: [{ path: 'rules.yaml', text: rules }], author: 'mara' };
  await kit.at('POST', 'policies', { body: policy });
});

async function decided(body: object): Promise<EventDetail> {
  const id = await kit.send('operation', body);
  await kit.settled();
  return kit.get<EventDetail>(`events/${id}`);
}

async function actionIn(client: string, state: string): Promise<PrintedAction & { history: PrintedAttempt[] }> {
  const found = await vi.waitUntil(
    async () => (await kit.get<{ items: PrintedAction[] }>(`actions?client=${client}&state=${state}`)).items[0],
    patience,
  );
  return kit.get(`actions/${found.id}`);
}

describe('a block', () => {
  it('lasts from code 1 until a person ends it', async () => {
    await kit.send('login', login('ana'));
    expect((await decided(payment('ana', 'block'))).fired).toEqual([900]);
    const { history } = await actionIn('ana', 'executed');
    expect(history).toMatchObject([
      {
        number: 1,
        result: 'executed',
        status: 200,
        message: 'done',
        body: answer,
        address: '127.0.0.1',
        headers: { 'content-length': '27' },
      },
    ]);
    expect(JSON.parse(receiver.received[0]!.body)).toMatchObject({ action: 1, reason: 900, message: 'Blocked.' });
    await vi.waitUntil(async () => (await decided(payment('ana'))).fired.includes(901), patience);

    const unblocked = await kit.at('POST', 'clients/unblock', { body: { client: 'ana' } });
    expect([unblocked.statusCode, unblocked.json()]).toEqual([202, { status: 'accepted' }]);
    expect((await decided(payment('ana'))).fired).toEqual([]);
  });
});

describe('an action that was not executed', () => {
  it('shows why, and is redelivered under the same id', async () => {
    answer = '{"code":0,"message":"unknown client"}';
    await kit.send('login', login('eva'));
    await decided(payment('eva', 'block'));
    const refused = await actionIn('eva', 'notExecuted');
    expect(refused.history).toMatchObject([{ result: 'notExecuted', message: 'unknown client' }]);

    answer = '{"code":1}';
    expect((await kit.at('POST', `actions/${refused.id}/redeliver`)).json()).toEqual({ changed: 1 });
    const executed = await actionIn('eva', 'executed');
    expect(executed.history.map(({ number, result }) => [number, result])).toEqual([
      [1, 'notExecuted'],
      [2, 'executed'],
    ]);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([refused.id]));
  });
});

describe('an action that was executed', () => {
  it('is sent again on request, under the same id, and blocks the client once', async () => {
    answer = '{"code":1}';
    await kit.send('login', login('uma'));
    await decided(payment('uma', 'block'));
    const first = await actionIn('uma', 'executed');
    await vi.waitUntil(async () => (await decided(payment('uma'))).fired.includes(901), patience);
    await kit.at('POST', 'clients/unblock', { body: { client: 'uma' } });
    const again = await kit.at('POST', `actions/${first.id}/redeliver`, { body: { again: true } });
    expect(again.json()).toEqual({ changed: 1 });
    const read = (): Promise<typeof first> => kit.get(`actions/${first.id}`);
    await vi.waitUntil(async () => (await read()).attempts === 2, patience);
    expect(await read()).toMatchObject({ state: 'executed', history: [{ number: 1 }, { number: 2 }] });
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids.filter((id) => id === first.id)).toHaveLength(2);
    await kit.settled();
    expect((await decided(payment('uma'))).fired).toEqual([]);
  });
});

describe('a session of 1,024 characters', () => {
  const session = 'ñ'.repeat(1_024);

  it('is matched, found, searched, and sent in webhooks', async () => {
    await kit.send('login', login('ivo', session));
    const event = await decided(payment('ivo', 'block', session));
    expect(event).toMatchObject({ matched: true, fired: [900] });
    const action = await actionIn('ivo', 'executed');
    expect(JSON.parse(receiver.received.at(-1)!.body)).toMatchObject({ session });
    const named = `session=${encodeURIComponent(session)}`;
    const events = await kit.get<{ items: { id: string }[] }>(`events?kind=operation&${named}`);
    expect(events.items.map(({ id }) => id)).toEqual([event.id]);
    expect(await kit.get(`actions?${named}`)).toMatchObject({ items: [{ id: action.id, session }] });
    const found = await kit.at('POST', 'search', { body: { text: session } });
    expect(found.json()).toMatchObject({ items: [{ kind: 'session', events: 2 }] });
    expect(problemOf(await kit.at('GET', `events?${named}x`)).errors).toMatchObject([{ pointer: '/session' }]);
  });
});

describe('a pause', () => {
  it('keeps actions, is listed, and sends them once it ends', async () => {
    await kit.send('login', login('leo'));
    expect((await kit.at('POST', 'deliveries/pause')).statusCode).toBe(204);
    expect((await kit.call('POST', '/deliveries/pause')).statusCode).toBe(204);
    await decided(payment('leo', 'block'));
    await actionIn('leo', 'due');
    expect((await kit.call('GET', '/status')).json()).toMatchObject({
      deliveries: { due: 1 },
      pauses: [{ scope: 'workspace', workspace: kit.workspace.id }, { scope: 'all' }],
    });
    expect(problemOf(await kit.at('POST', 'webhook/test')).code).toBe('state.conflict');
    expect(receiver.received).toEqual([]);
    for (const path of ['/deliveries/resume', `/workspaces/${kit.workspace.id}/deliveries/resume`]) {
      expect((await kit.call('POST', path)).statusCode).toBe(204);
    }
    await actionIn('leo', 'executed');
    expect((await kit.call('GET', '/status')).json()).toMatchObject({ pauses: [] });
  });
});

describe('an erased client', () => {
  it('cannot be read or found anywhere', async () => {
    await kit.send('login', login('mia.cruz', 's-mia-secret'));
    const event = await decided(payment('mia.cruz', 'block', 's-mia-secret'));
    const action = await actionIn('mia.cruz', 'executed');
    const erased = await kit.at('POST', 'clients/erase', { body: { client: 'mia.cruz' } });
    expect([erased.statusCode, erased.json()]).toEqual([200, { erased: true }]);
    await kit.settled();

    for (const path of [`events/${event.id}`, `actions/${action.id}`, 'events', 'actions', 'decisions']) {
      const { body } = await kit.at('GET', path);
      for (const name of ['mia.', 's-mia-secret']) expect(body, path).not.toContain(name);
    }
    expect(await kit.get(`events/${event.id}`)).toMatchObject({ erased: true, fired: [900], rules: [] });
    expect(await kit.get(`actions/${action.id}`)).toMatchObject({ erased: true, state: 'executed', attempts: 1 });
    expect(await kit.get('events?client=mia.cruz')).toEqual({ items: [] });
    expect(await kit.get('actions?client=mia.cruz')).toEqual({ items: [] });
  });

  it('is unknown afterwards', async () => {
    for (const path of ['clients/erase', 'clients/unblock']) {
      const response = await kit.at('POST', path, { body: { client: 'mia.cruz' } });
      expect(problemOf(response)).toMatchObject({
        code: 'thing.unknown',
        detail: 'This client is not known in the workspace. Check that it is spelt as in its events.',
      });
      expect(problemOf(await kit.at('POST', path)).errors).toMatchObject([{ pointer: '/client' }]);
    }
  });

  it('appears in no line of the log', () => {
    for (const name of ['mia.', 's-mia-secret']) expect(JSON.stringify(kit.said)).not.toContain(name);
  });
});
