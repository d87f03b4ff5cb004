import { verify } from '@ringfence/delivery';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/deliver/clock.ts';
import { WebhookTransport } from '../../src/deliver/transport/webhook-transport.ts';
import type { Workspace } from '../../src/tenancy/workspaces/workspace.ts';
import { makeHarness } from './support/dispatcher-harness.ts';
import { type Answer, executed, httpReceiver } from './support/receivers.ts';
import { loopback } from './support/test-transport.ts';
import { testWorkspace } from './support/workspace-fixture.ts';

/** A dispatcher over real sockets, for a workspace that only observes: tests are sent nevertheless. */
async function dispatcherOf(url: string): Promise<{
  readonly workspace: Workspace;
  readonly dispatcher: ReturnType<Awaited<ReturnType<typeof makeHarness>>['start']>;
  readonly outbox: Awaited<ReturnType<typeof makeHarness>>['outbox'];
}> {
  const workspace = testWorkspace({ settings: { deliver: 'observe' }, webhook: { url } });
  const { start, outbox } = await makeHarness([
    { ...workspace, settings: { ...workspace.settings, deliver: 'observe' } },
  ]);
  const transport = new WebhookTransport({ resolve: () => Promise.resolve([]), allow: loopback, isOwn: () => false });
  return { workspace, dispatcher: start({ transport, clock: systemClock }), outbox };
}

describe('a test of the webhook', () => {
  it('returns the whole exchange, without the key', async () => {
    const receiver = await httpReceiver((received, response, message) => {
      response.setHeader('x-request-id', 'abc');
      executed(received, response, message);
    });
    const { workspace, dispatcher } = await dispatcherOf(receiver.url);
    const transcript = await dispatcher.sendTest(workspace);
    expect(transcript).toMatchObject({
      verdict: 'executed',
      request: { method: 'POST', url: receiver.url, headers: { authorization: 'Bearer [the license key]' } },
      connection: { address: '127.0.0.1', resolved: ['127.0.0.1'], reused: false },
      response: { status: 200, headers: { 'x-request-id': 'abc' }, body: '{"code":1}', truncated: false },
    });
    expect(JSON.stringify(transcript)).not.toContain('license key of');
    expect(receiver.received[0]?.headers.authorization).toBe(`Bearer license key of ${workspace.id}`);
  });

  it('is recognizable by reason 0 and a client that no bank has, and is signed like any other action', async () => {
    const receiver = await httpReceiver();
    const { workspace, dispatcher } = await dispatcherOf(receiver.url);
    await dispatcher.sendTest(workspace);
    const [received] = receiver.received;
    if (received === undefined) throw new Error('nothing arrived');
    expect(JSON.parse(received.body)).toMatchObject({
      action: 6,
      reason: 0,
      session: '',
      message: 'Ringfence test: nothing needs to be done.',
    });
    expect(received.headers['webhook-id']).toMatch(/^test_aaaaaaaa_[0-9a-f]{16}$/);
    const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map((name) =>
      String(received.headers[`webhook-${name}`]),
    );
    expect(verify({ id, timestamp, signature, body: received.body }, [workspace.secrets.webhook], Date.now())).toBe(
      'valid',
    );
  });

  const failed = (
    name: string,
    answer: Answer,
    expected: { readonly reason: string; readonly words: RegExp },
  ): { name: string; answer: Answer; verdict: string; reason?: string; words: RegExp } => ({
    name,
    answer,
    verdict: 'failed',
    ...expected,
  });
  const elsewhere = { location: '/login' };

  it.each([
    {
      name: 'code 0',
      answer: ((_, response) => response.end('{"code":0,"message":"unknown client"}')) as Answer,
      verdict: 'notExecuted',
      words: /unknown client/,
    },
    failed('401', (_, response) => response.writeHead(401).end(), {
      reason: 'status',
      words: /the key and the signing secret/,
    }),
    failed('404', (_, response) => response.writeHead(404).end(), { reason: 'status', words: /no POST at this path/ }),
    failed('410', (_, response) => response.writeHead(410).end(), { reason: 'status', words: /no POST at this path/ }),
    failed('500', (_, response) => response.writeHead(500).end(), { reason: 'status', words: /its own log/ }),
    failed('302', (_, response) => response.writeHead(302, elsewhere).end(), { reason: 'redirect', words: /never/ }),
    failed('text', (_, response) => response.end('OK'), { reason: 'answer', words: /code 1/ }),
    failed('nothing', (_, __, message) => message.socket.destroy(), {
      reason: 'reset',
      words: /closed before an answer/,
    }),
  ])('reports what is wrong with an answer of $name', async ({ answer, verdict, reason, words }) => {
    const receiver = await httpReceiver(answer);
    const { workspace, dispatcher } = await dispatcherOf(receiver.url);
    const transcript = await dispatcher.sendTest(workspace);
    expect(transcript.verdict).toBe(verdict);
    expect(transcript.problem?.reason).toBe(reason);
    expect(JSON.stringify(transcript)).toMatch(words);
  });

  it('is refused while deliveries are paused, and without a webhook', async () => {
    const receiver = await httpReceiver();
    const { workspace, dispatcher, outbox } = await dispatcherOf(receiver.url);
    await outbox.pause({ kind: 'all' }, 0);
    await expect(dispatcher.sendTest(workspace)).rejects.toThrow('paused');
    const { webhook: _, ...settings } = workspace.settings;
    await expect(dispatcher.sendTest({ ...workspace, settings })).rejects.toThrow('no webhook');
    expect(receiver.connections()).toBe(0);
  });
});
