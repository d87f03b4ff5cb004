/** Events whose entities the deciding thread did not write: in quarantine, or decided by an older release. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { login, payment } from '../api/support/management-kit.ts';
import { consoleKit, type ConsoleKit } from './support/console-kit.ts';

let kit: ConsoleKit;
beforeAll(async () => {
  kit = await consoleKit();
  await kit.send('login', { ...login('ana'), publicIp: '10.0.0.7' });
  await kit.send('login', { ...login('ben'), publicIp: '2001:DB8::7' });
  for (let i = 0; i < 8; i++) await kit.send('operation', payment('ana', `ref-${i}`));
  await kit.send('operation', { ...payment('ben'), timestamp: undefined, transaction: { date: '2026-01-02' } });
  await kit.send('operation', payment('nobody-logged-in'));
  await kit.send('logout', { channelId: 1, user: 'ana', session: 's-ana' });
  await kit.fed();
});
afterAll(() => kit.close());

/** Everything that the feed and the deciding thread wrote for the console. */
async function written(): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const tables = {
    event_entity: '"offset"',
    console_count: 'span, at, name, key',
    console_bank: 'bank',
    console_warning: 'code',
    console_seen: '"offset"',
  };
  const rows = Object.entries(tables).map(async ([table, order]) => {
    const found = await kit.pool.query(`select * from ${table} order by ${order}`);
    // Actions are counted by the statements that write them.
    return [table, found.rows.filter(({ name }) => name !== 'action')] as const;
  });
  return Object.fromEntries(await Promise.all(rows));
}

it('the feed writes the same rows for them, and counts them the same', async () => {
  const before = await written();
  expect(before['event_entity']).toHaveLength(13);
  expect(before['console_bank']).not.toEqual([]);
  expect(before['console_warning']).not.toEqual([]);
  // Added to the counts, and removed.
  expect(before['console_seen']).toEqual([]);

  await kit.pool.query(
    `truncate event_entity, console_count, console_bank, console_warning, console_live, alert cascade;
     update console_position set next_offset = 0`,
  );
  await kit.feed.round();
  expect(await written()).toEqual(before);
});

it('fills gaps only, and does not change existing rows', async () => {
  const before = await written();
  await kit.pool.query(
    `delete from event_entity where "offset" % 3 = 0;
     truncate console_count, console_warning, console_live, alert cascade;
     update console_position set next_offset = 0`,
  );
  await kit.feed.round();
  const after = await written();
  expect(after['event_entity']).toEqual(before['event_entity']);
  expect(after['console_warning']).toEqual(before['console_warning']);
});

it('removes leftovers of a feed of an older release, which had counted them itself', async () => {
  const { rows } = await kit.pool.query<{ next_offset: number }>(`select next_offset from console_position`);
  await kit.pool.query(
    `insert into console_seen select workspace_id, unnest(array[next_offset - 1, next_offset]), now(), 'country', 'XX', 1
       from console_position`,
  );
  // It removes in its first round, and then every quarter of an hour.
  kit.pass(3_600_000);
  await kit.feed.round();
  const left = await kit.pool.query<{ offset: number }>(`select "offset" from console_seen`);
  expect(left.rows).toEqual([{ offset: rows[0]!.next_offset }]);
});
