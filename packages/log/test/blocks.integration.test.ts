import { Pool } from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase } from '../../../tools/testing/postgres.ts';
import { entry, everyKind, keyed, TestClock } from '../conformance/log-harness.ts';
import type { LogEntry, LogRecord } from '../src/log.ts';
import { PostgresLog } from '../src/postgres/postgres-log.ts';
import { logSteps } from '../src/schema.ts';

const { config: connection } = await freshDatabase();
const pool = new Pool({ ...connection, max: 4 });
await pool.query(logSteps.join(''));
afterAll(() => pool.end());

describe('the blocks of the log', () => {
  const clock = new TestClock();
  let log: PostgresLog;
  let p: string;
  let made = 0;

  beforeEach(async () => {
    made += 1;
    p = `p${String(made)}`;
    log = new PostgresLog({ connection, pool, clock: clock.read, rangeRecords: 40 });
    await log.createPartition(p);
    // The first append waits for its connection, so that later ones are sent with it.
    await log.append(p, entry(0));
  });
  afterEach(() => log.close());

  const together = (entries: readonly LogEntry[]): Promise<unknown> =>
    Promise.all(entries.map((one) => log.append(p, one)));
  const firstOffsets = async (): Promise<readonly number[]> => {
    const { rows } = await pool.query<{ first: string }>(
      `SELECT first_offset AS first FROM log_block b JOIN log_partition p ON p.partition = $1
        WHERE b.tableoid::regclass::text LIKE format('log\\_%s\\_%%', p.number) ORDER BY first_offset`,
      [p],
    );
    return rows.map(({ first }) => Number(first));
  };

  it('contain what was appended together, up to a page', async () => {
    await together(Array.from({ length: 10 }, () => entry(1, { payload: new Uint8Array(1_500) })));
    expect(await firstOffsets()).toEqual([0, 1, 6]);
    await together([entry(1), entry(2), entry(3, { payload: new Uint8Array(128 * 1024) }), entry(4)]);
    expect(await firstOffsets()).toEqual([0, 1, 6, 11, 13, 14]);
    expect((await log.read(p, 0, 100)).map(({ offset }) => offset)).toEqual(Array.from({ length: 15 }, (_, i) => i));
  });

  it('can be read from any record in them to any other', async () => {
    await together(
      Array.from({ length: 30 }, (_, index) => entry(index + 1, { payload: Buffer.alloc(900, index + 1) })),
    );
    const contents = async (from: number, limit: number): Promise<readonly number[]> =>
      (await log.read(p, from, limit)).map(({ payload }) => payload[0]!);
    for (let from = 0; from <= 31; from += 1) {
      for (const limit of [1, 2, 9, 31]) {
        expect(await contents(from, limit)).toEqual(Array.from({ length: 31 }, (_, i) => i).slice(from, from + limit));
      }
    }
  });

  it('contain single records if one is a retry, or the next range begins', async () => {
    await together([entry(1), keyed(2, 7, 1), entry(3)]);
    await together([entry(4), keyed(2, 7, 1), entry(6)]);
    expect(await firstOffsets()).toEqual([0, 1, 4, 5, 6]);
    expect((await log.read(p, 4, 3)).map(({ retryOf }) => retryOf)).toEqual([undefined, 2, undefined]);
    const twenty = Array.from({ length: 20 }, (_, index) => entry(index));
    await together(twenty);
    await together(twenty);
    const later = (await firstOffsets()).filter((offset) => offset > 6);
    expect(later).toEqual([7, ...Array.from({ length: 20 }, (_, index) => 27 + index)]);
  });

  it('are deleted with the last of their records', async () => {
    await together([entry(1), entry(2), entry(3)]);
    await together([entry(4)]);
    expect(await log.deleteBefore(p, 3, 10)).toBe(3);
    expect(await firstOffsets()).toEqual([1, 4]);
    expect((await log.read(p, 0, 10)).map(({ offset }) => offset)).toEqual([3, 4]);
    expect(await log.deleteBefore(p, 5, 10)).toBe(5);
    expect(await firstOffsets()).toEqual([]);
  });

  it('are shown to people record by record', async () => {
    await together(
      everyKind.map((kind, index) => ({ kind, payload: Buffer.alloc(index, 'é'), subject: `s-${index}` })),
    );
    await together([keyed(1, 9, 1), entry(200)]);
    await together([keyed(1, 9, 1)]);
    const { rows } = await pool.query<Record<string, never>>(
      `SELECT "offset"::integer, r.epoch::integer, r.log_time_ms::float8 AS "logTimeMs", kind, subject,
              retry_of::integer AS "retryOf", payload
         FROM log_record r JOIN log_partition p ON p.partition = $1
        WHERE r.range::text LIKE format('log\\_%s\\_%%', p.number) ORDER BY "offset"`,
      [p],
    );
    const shown = rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, value]) => [key, value ?? undefined])),
    );
    expect(shown as unknown as readonly LogRecord[]).toEqual(await log.read(p, 0, 100));
  });
});
