/** Warnings for integrators about accepted events that look like mistakes. */
import { dayMs, hourMs } from '@ringfence/contract';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { login, payment } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from './support/console-kit.ts';

interface Integration {
  readonly warnings: readonly { readonly code: string; readonly lastDay: number; readonly event: string }[];
}

let kit: ConsoleKit;
beforeAll(async () => {
  kit = await consoleKit();
});
afterAll(() => kit.close());

/** Each warning with its number of occurrences and its last event. */
async function warnings(): Promise<Readonly<Record<string, readonly [number, string]>>> {
  await kit.fed();
  const { warnings: found } = await kit.get<Integration>('integration');
  return Object.fromEntries(found.map(({ code, lastDay, event }) => [code, [lastDay, event]]));
}

/** The last event that was sent. */
async function lastEvent(): Promise<string> {
  const { items } = await kit.get<{ readonly items: readonly { readonly id: string }[] }>('events?limit=1');
  return items[0]!.id;
}

const time = (shiftMs: number): string => new Date(kit.deps.now() + shiftMs).toISOString();

it('reports only the unconfigured channel for a payment in its session', async () => {
  await kit.at('PUT', 'channels/1', { body: { name: 'App' } });
  await kit.deps.registry.refresh();
  await kit.send('login', login('ana'));
  await kit.send('operation', payment('ana'));
  await kit.send('logout', { channelId: 1, user: 'ana', session: 's-ana' });
  // The kit's logins contain an invalid device token.
  expect(Object.keys(await warnings())).toEqual(['device.unusable']);
  await kit.send('logout', { channelId: 9, user: 'ana', session: 's-ana' });
  expect((await warnings())['channel.unknown']).toEqual([1, await lastEvent()]);
});

it.each([
  ['timestamp.missing', () => ({ timestamp: undefined, transaction: { date: time(0) } })],
  ['timestamp.implausible', () => ({ timestamp: time(-dayMs - hourMs) })],
  ['timestamp.implausible', () => ({ timestamp: time(hourMs) })],
  ['timestamp.implausible', () => ({ timestamp: time(0).slice(0, 10) })],
  ['session.missing', () => ({ account: { client: 'ben', session: '' } })],
  ['session.unmatched', () => ({ account: { client: 'ben', session: 'nobodys' } })],
  ['client.missing', () => ({ account: { session: 's-ben' } })],
  ['currency.missing', () => ({ order: { amount: 3 } })],
])('reports %s for an operation, with its event', async (code, change) => {
  await kit.send('login', login('ben'));
  const before = (await warnings())[code]?.[0] ?? 0;
  await kit.send('operation', { ...payment('ben'), ...change() });
  expect((await warnings())[code]).toEqual([before + 1, await lastEvent()]);
});

it.each([
  ['address.invalid', { publicIp: 'unknown' }],
  ['address.internal', { publicIp: '10.1.2.3' }],
  ['device.absent', { channelId: 2, data: '' }],
  ['device.unusable', { channelId: 2, data: 'no token at all' }],
])('reports %s for a login', async (code, change) => {
  const before = (await warnings())[code]?.[0] ?? 0;
  await kit.send('login', { ...login('eva'), ...change });
  expect((await warnings())[code]).toEqual([before + 1, await lastEvent()]);
});

it('expires after a day without a new occurrence', async () => {
  expect(Object.keys(await warnings())).not.toEqual([]);
  kit.pass(dayMs + hourMs);
  expect((await kit.get<Integration>('integration')).warnings).toEqual([]);
  kit.pass(-(dayMs + hourMs));
});
