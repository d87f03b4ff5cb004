import { afterAll, beforeAll, expect, it } from 'vitest';
import { removeFed } from '../../src/console/feed/remove-fed.ts';
import { login, payment } from '../management/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from './support/console-kit.ts';

const dayMs = 86_400_000;
let kit: ConsoleKit;

beforeAll(async () => {
  kit = await consoleKit();
  await kit.send('login', login('ana'));
  for (let i = 0; i < 7; i++) await kit.send('operation', payment('ana'));
  await kit.fed();
});

afterAll(() => kit.close());

const count = async (from: string): Promise<number> =>
  (await kit.pool.query<{ count: number }>(`select count(*) as count from ${from}`)).rows[0]!.count;

const closeAlerts = (): Promise<unknown> =>
  kit.pool.query(`update alert set state = 'closed', outcome = 'fraud', closed_by = 'x', closed_at = now()`);

it('keeps what belongs to events that are there, and minutes for three days', async () => {
  await removeFed(kit.pool, Date.now());
  expect(await count('event_entity')).toBe(8);
  const hours = await count('console_count where span = 3600');
  await removeFed(kit.pool, Date.now() + 4 * dayMs);
  expect(await count('console_count where span = 60')).toBe(0);
  expect(await count('console_count where span = 3600')).toBe(hours);
  expect(await count('event_entity')).toBe(8);
});

it('removes alerts long after they were decided, and never one that is open', async () => {
  const later = Date.now() + 500 * dayMs;
  await removeFed(kit.pool, later);
  expect(await count('alert')).toBe(1);
  await closeAlerts();
  await removeFed(kit.pool, Date.now());
  expect(await count('alert')).toBe(1);
  await removeFed(kit.pool, later);
  expect([await count('alert'), await count('alert_event')]).toEqual([0, 0]);
});

it('removes what belongs to events that are gone', async () => {
  await kit.pool.query(`delete from event where "offset" < 5 + (select min("offset") from event)`);
  await removeFed(kit.pool, Date.now());
  expect(await count('event_entity')).toBe(3);
  await kit.pool.query(`delete from event`);
  await removeFed(kit.pool, Date.now());
  expect(await count('event_entity')).toBe(0);
});

it('removes alerts that were decided with the last of their events, and none that is open', async () => {
  await kit.send('login', login('bob'));
  for (let i = 0; i < 7; i++) await kit.send('operation', payment('bob'));
  await kit.fed();
  await kit.pool.query(`delete from event`);
  await removeFed(kit.pool, Date.now());
  expect(await count('alert')).toBe(1);
  await closeAlerts();
  await removeFed(kit.pool, Date.now());
  expect(await count('alert')).toBe(0);
});
