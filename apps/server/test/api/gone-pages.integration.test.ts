/** A page that disconnects before its stream begins leaks nothing: no stream slot, no query of the log, no timer. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeAll, afterAll, expect, it, vi } from 'vitest';
import { adminToken, managementKit, type ManagementKit } from './support/management-kit.ts';

let kit: ManagementKit;
let page: Socket;
const leave = vi.fn();
const stop = vi.fn();
/** Resolves when the page of the current request has disconnected. */
let gone: Promise<unknown>;

async function pageGoes(): Promise<void> {
  page.destroy();
  await gone;
}

beforeAll(async () => {
  kit = await managementKit({
    live: {
      enter: async () => {
        await pageGoes();
        return leave;
      },
      close: () => {},
    },
    inquiries: { begin: () => stop },
  });
  kit.deps.events.findWhole = async () => {
    await pageGoes();
    return { event: { kind: 'login' }, facts: {}, bodyText: '{}' } as never;
  };
  kit.app.server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
    gone = once(response, 'close');
  });
  await kit.app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => kit.close());
afterEach(() => vi.restoreAllMocks());

it.each([
  { asks: 'live activity', method: 'GET', path: 'live', ended: leave },
  { asks: 'an answer about the log', method: 'POST', path: 'events/evt_1_1/decide-then', ended: stop },
])('a page that requests $asks', async ({ method, path, ended }) => {
  const timers = vi.spyOn(globalThis, 'setInterval');
  const cleared = vi.spyOn(globalThis, 'clearInterval');
  page = connect((kit.app.server.address() as AddressInfo).port, '127.0.0.1');
  page.write(
    `${method} /management/v1/workspaces/${kit.workspace.id}/${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${adminToken}\r\n` +
      `content-type: application/json\r\ncontent-length: 2\r\n\r\n{}`,
  );
  await expect.poll(() => ended.mock.calls.length).toBe(1);
  const running = timers.mock.results.filter(({ value }) => !cleared.mock.calls.some(([timer]) => timer === value));
  expect(running).toEqual([]);
});
