/** The channels that events came from, on the integration page. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SeenChannel } from '../../src/console/seen-channels.ts';
import { login } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from './support/console-kit.ts';

let kit: ConsoleKit;
beforeAll(async () => {
  kit = await consoleKit();
  await kit.at('PUT', 'channels/1', { body: { name: 'App' } });
  await kit.deps.registry.refresh();
});
afterAll(() => kit.close());

/** Sends a login from each of the channels, and returns all channels that were seen so far. */
async function loggedInOn(...channelIds: readonly number[]): Promise<readonly SeenChannel[]> {
  for (const channelId of channelIds) await kit.send('login', { ...login('ana', `s-${channelId}`), channelId });
  await kit.fed();
  return (await kit.get<{ readonly channels: readonly SeenChannel[] }>('integration')).channels;
}

it('lists configured and other channels, with their first and last event and how many there were', async () => {
  const first = await loggedInOn(1, 7);
  expect(first).toMatchObject([
    { channelId: 1, configured: true, events: 1 },
    { channelId: 7, configured: false, events: 1 },
  ]);
  const { rows } = await kit.pool.query<{ at: Date }>(`select logged_at as at from event order by "offset"`);
  expect(first.map(({ firstSeenAt }) => firstSeenAt)).toEqual(rows.map(({ at }) => at.toISOString()));
  const [app, other] = await loggedInOn(7, 7);
  expect(app).toEqual(first[0]);
  expect(other).toMatchObject({ channelId: 7, events: 3, firstSeenAt: first[1]!.firstSeenAt });
  const last = await kit.pool.query<{ at: Date }>(`select max(logged_at) as at from event`);
  expect(other!.lastSeenAt).toBe(last.rows[0]!.at.toISOString());
});

it('notices that a channel was configured with its next event', async () => {
  await kit.at('PUT', 'channels/7', { body: { name: 'Web' } });
  await kit.deps.registry.refresh();
  expect(await loggedInOn()).toMatchObject([{ channelId: 1 }, { channelId: 7, configured: false }]);
  expect(await loggedInOn(7)).toMatchObject([{ channelId: 1 }, { channelId: 7, configured: true }]);
});

it('keeps a bounded number of channels that are not configured, and every configured one', async () => {
  await kit.pool.query(
    `insert into channel_seen select $1, n, false, now(), now(), 1 from generate_series(1000, 1253) n`,
    [kit.workspace.id],
  );
  await kit.at('PUT', 'channels/3', { body: { name: 'Kiosk' } });
  await kit.deps.registry.refresh();
  const seen = await loggedInOn(3, 5_000, 1_000);
  expect(seen).toHaveLength(257);
  expect(seen.find(({ channelId }) => channelId === 3)).toMatchObject({ configured: true });
  expect(seen.find(({ channelId }) => channelId === 1_000)).toMatchObject({ events: 2 });
});
