import { request as plainRequest } from 'node:http';
import { type AllowedRange, localWebhooks, parseCidr, webhookUrlProblem } from '@ringfence/delivery';
import { describe, expect, it } from 'vitest';
import type { ResolveHost } from '../../src/deliver/transport/resolve-host.ts';
import { systemResolver } from '../../src/deliver/transport/resolve-host.ts';
import { ownListeners } from '../../src/deliver/transport/own-listeners.ts';
import { httpReceiver, type Receiver } from './support/receivers.ts';
import { loopback, testTransport } from './support/test-transport.ts';

/**
 * Goal: no webhook reaches a non-public address, however it is spelt or resolved.
 * Method: a canary listens on the loopback; every way in is tried; the canary counts connections.
 */
const guarded = { allow: [] };

/** Every spelling of the loopback address that some parser or resolver accepts. `PORT` is the canary's. */
const spellings = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '00000177.0.0.1',
  '0',
  '0.0.0.0',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '１２７.0.0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ip6-localhost',
  '%6c%6f%63%61%6c%68%6f%73%74',
  'user@127.0.0.1',
  'bank.example@127.0.0.1',
  '127.0.0.1#@bank.example',
];

/** Answers of a hostile name server, call by call. */
const zones: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'loopback.example': [['127.0.0.1']],
  'loopback6.example': [['::1']],
  'mapped.example': [['::ffff:127.0.0.1']],
  'compat.example': [['::127.0.0.1']],
  'nat64.example': [['64:ff9b::7f00:1']],
  'sixtofour.example': [['2002:7f00:1::']],
  'any.example': [['0.0.0.0']],
  'mixed.example': [['203.0.114.7', '127.0.0.1']],
  'mixed6.example': [['2606:4700::1111', '::1']],
  'metadata.example': [['169.254.169.254']],
  'zone.example': [['fe80::1%lo']],
  'empty.example': [[]],
  'garbage.example': [['not an address']],
  'number.example': [['2130706433']],
};

const resolverOf =
  (answers: Readonly<Record<string, readonly (readonly string[])[]>>): ResolveHost =>
  (hostname) =>
    Promise.resolve(answers[hostname]?.[0] ?? []);

describe('the canary', () => {
  const urlWith = (host: string, port: number): string => `http://${host.replace('#', `:${port}/#`)}:${port}/hook`;
  const isUrl = (host: string): boolean => URL.canParse(urlWith(host, 8_080));

  it('is reached by development workspaces alone, if webhooks to this machine are allowed', async () => {
    const canary = await httpReceiver();
    const { send } = testTransport({ allow: localWebhooks });
    const url = `http://127.0.0.1:${canary.port}/hook`;
    expect(await send(url, { environment: 'production' })).toMatchObject({ kind: 'failure', reason: 'blocked' });
    expect(canary.connections()).toBe(0);
    expect(await send(url, { environment: 'development' })).toMatchObject({ kind: 'answer' });
  });

  it('is reached by the workspaces and on the ports alone that a range names, by address and by name', async () => {
    const canary = await httpReceiver();
    const other = await httpReceiver();
    const resolve = resolverOf({ 'hook.example': [['127.0.0.1']] });
    const sendUnder = (allow: Partial<AllowedRange>): ReturnType<typeof testTransport>['send'] =>
      testTransport({ resolve, allow: loopback.map((range) => ({ ...range, ...allow })) }).send;
    const blocked = { kind: 'failure', reason: 'blocked' };
    for (const host of ['127.0.0.1', 'hook.example']) {
      const url = `http://${host}:${canary.port}/hook`;
      expect(await sendUnder({ workspaces: ['other'] })(url)).toMatchObject(blocked);
      expect(await sendUnder({ workspaces: ['acme/production'] })(url)).toMatchObject(blocked);
      expect(await sendUnder({ ports: [other.port] })(url)).toMatchObject({
        ...blocked,
        detail: `127.0.0.1 port ${canary.port} is a loopback address`,
      });
    }
    expect(canary.connections()).toBe(0);
    const meant = { workspaces: ['acme/development'], ports: [canary.port] };
    expect(await sendUnder(meant)(`http://hook.example:${canary.port}/hook`)).toMatchObject({ kind: 'answer' });
  });

  it.each(spellings.filter(isUrl))('gets no connection when the host of the URL is %s', async (host) => {
    const canary = await httpReceiver();
    const sent = await testTransport({ ...guarded, resolve: systemResolver() }).send(urlWith(host, canary.port));
    expect(['blocked', 'dns']).toContain(sent.kind === 'failure' ? sent.reason : sent.kind);
    expect(canary.connections()).toBe(0);
  });

  it.each(spellings.filter((host) => !isUrl(host)))('is not reached by %s, which is not a URL', (host) => {
    const problem = webhookUrlProblem(urlWith(host, 8_080), { name: 'acme', environment: 'development', allow: [] });
    expect(problem).toBe('not a URL');
  });

  it.each(Object.keys(zones))('gets no connection when the host name is %s', async (host) => {
    const canary = await httpReceiver();
    const sent = await testTransport({ ...guarded, resolve: resolverOf(zones) }).send(
      `http://${host}:${canary.port}/hook`,
    );
    expect(sent).toMatchObject({ kind: 'failure', reason: host.startsWith('empty') ? 'dns' : 'blocked' });
    expect(canary.connections()).toBe(0);
  });

  describe('with another loopback address allowed, in place of a public one', () => {
    const allow = [parseCidr('127.0.0.2/32') ?? []].flat();

    it('gets no connection from a name that resolves to both', async () => {
      const canary = await httpReceiver();
      for (const addresses of [
        ['127.0.0.2', '127.0.0.1'],
        ['127.0.0.1', '127.0.0.2'],
      ]) {
        const { send } = testTransport({ allow, resolve: () => Promise.resolve(addresses) });
        expect(await send(`http://mixed.example:${canary.port}/hook`)).toMatchObject({ reason: 'blocked' });
      }
      expect(canary.connections()).toBe(0);
    });

    it('gets no connection from a name that resolves to the allowed address first, and to the canary the second time', async () => {
      const canary = await httpReceiver();
      let asked = 0;
      const resolve: ResolveHost = () => Promise.resolve(asked++ === 0 ? ['127.0.0.2'] : ['127.0.0.1']);
      const { send } = testTransport({ allow, resolve });
      // Nothing listens there; what matters is that no other address is connected to, and the name is not resolved
      // again.
      expect(await send(`http://rebind.example:${canary.port}/hook`)).toMatchObject({ reason: 'refused' });
      expect(asked).toBe(1);
      expect(await send(`http://rebind.example:${canary.port}/hook`)).toMatchObject({ reason: 'blocked' });
      expect(canary.connections()).toBe(0);
    });
  });

  it("is reached when the operator allows its address, but not at the service's own ports", async () => {
    const canary = await httpReceiver();
    const isOwn = ownListeners(() => [canary.port]);
    expect(await testTransport().send(canary.url)).toMatchObject({ kind: 'answer' });
    expect(await testTransport({ isOwn }).send(canary.url)).toMatchObject({ kind: 'failure', reason: 'blocked' });
    expect(canary.connections()).toBe(1);
  });

  it('gets plain http from production only when the operator allows its address', async () => {
    const canary = await httpReceiver();
    const { send } = testTransport({ resolve: () => Promise.resolve(['127.0.0.1']) });
    expect(await send(canary.url, { environment: 'production' })).toMatchObject({ kind: 'answer' });
    const sent = await testTransport(guarded).send('http://1.1.1.1/hook', { environment: 'production' });
    expect(sent).toMatchObject({ kind: 'failure', reason: 'insecure' });
  });
});

/** Shows that the canary can be reached: a sender that checks only the text of URLs, as many do, connects to it. */
describe('control: a check of the text alone', () => {
  async function naive(url: string, canary: Receiver): Promise<number> {
    const isRefused = /^(?:localhost|127\.|10\.|192\.168\.|\[::1\])/.test(new URL(url).hostname);
    if (!isRefused) {
      const lookup = (
        _: string,
        __: object,
        callback: (error: null, address: { address: string; family: number }[]) => void,
      ): void => callback(null, [{ address: '127.0.0.1', family: 4 }]);
      await new Promise((resolve) => {
        plainRequest(url, { lookup, method: 'POST' }, resolve).on('error', resolve).end();
      });
    }
    return canary.connections();
  }

  it.each(['loopback.example', '0.0.0.0', '[::ffff:127.0.0.1]'])('lets %s reach the canary', async (host) => {
    const canary = await httpReceiver();
    expect(await naive(`http://${host}:${canary.port}/hook`, canary)).toBeGreaterThan(0);
  });
});
