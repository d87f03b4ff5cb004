import { afterAll, beforeAll, expect, it } from 'vitest';
import { findLabelled, type Found } from '../../../src/console/labels/find-labelled.ts';
import { consoleKit, type ConsoleKit } from '../support/console-kit.ts';
import { payment } from '../../api/support/management-kit.ts';

let kit: ConsoleKit;
let recordsRead: number;

beforeAll(async () => {
  kit = await consoleKit();
  for (const reference of ['one', 'two', 'three']) await kit.send('operation', payment('ana', reference));
  await kit.fed();
});
afterAll(() => kit.close());

function find(reference: string): Promise<Found> {
  recordsRead = 0;
  const log = {
    append: kit.log.append.bind(kit.log),
    read: async (...of: Parameters<typeof kit.log.read>) => {
      const records = await kit.log.read(...of);
      recordsRead += records.length;
      return records;
    },
  };
  const workspace = kit.deps.registry.byId(kit.workspace.id)!;
  return findLabelled({ pool: kit.pool, log, subjects: kit.subjects }, workspace, { client: 'ana', reference });
}

it('decrypts no record for an unknown reference', async () => {
  expect(await find('four')).toEqual({ reason: 'this client has no operation with this reference' });
  expect(recordsRead).toBe(0);
  expect(await find('two')).toMatchObject({ events: [{}] });
});

it('searches the log for a reference that the console has not reached', async () => {
  await kit.pool.query('delete from event_entity');
  await kit.pool.query('update console_position set next_offset = (select min("offset") from event)');
  expect(await find('two')).toMatchObject({ events: [{}] });
  expect(await find('four')).toHaveProperty('reason');
});
