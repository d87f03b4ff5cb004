import { Pool } from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freshDatabase } from '../../../tools/testing/postgres.ts';
import { entry, keyed, offsetOf, TestClock } from '../conformance/log-harness.ts';
import { readMessage } from '../src/batch-message.ts';
import { LogUnavailableError, RecordsLostError, StaleGenerationError } from '../src/log.ts';
import { MemoryRecordStore } from '../src/memory-record-store.ts';
import { PostgresLog } from '../src/postgres/postgres-log.ts';
import { logSteps } from '../src/schema.ts';

const { config: connection } = await freshDatabase();
const pool = new Pool({ ...connection, max: 4 });
await pool.query(logSteps.join(''));
afterAll(() => pool.end());

describe('a log whose bytes are in a store', () => {
  const clock = new TestClock();
  let store: MemoryRecordStore;
  let log: PostgresLog;
  let p: string;
  let made = 0;

  const open = (writes = true): PostgresLog =>
    new PostgresLog({ connection, pool, clock: clock.read, rangeRecords: 40, records: { store, writes } });

  beforeEach(async () => {
    made += 1;
    await pool.query('TRUNCATE log_place, log_noted');
    p = `p${made}`;
    store = new MemoryRecordStore({ partitions: 1 });
    log = open();
    await log.createPartition(p);
  });
  afterEach(() => log.close());

  const contents = async (): Promise<readonly number[]> => (await log.read(p, 0, 1_000)).map((one) => one.payload[0]!);
  const placed = async (): Promise<readonly boolean[]> => {
    const { rows } = await pool.query<{ placed: boolean }>(
      `SELECT get_byte(frames, 0) = 255 AS placed FROM log_block b JOIN log_partition p ON p.partition = $1
        WHERE b.tableoid::regclass::text LIKE format('log\\_%s\\_%%', p.number) ORDER BY first_offset`,
      [p],
    );
    return rows.map((row) => row.placed);
  };
  const messages = async () => {
    const found = [];
    for await (const { bytes } of store.after(0, 0)) found.push(readMessage(bytes));
    return found;
  };

  it('keeps one message and one row for a flight, and reads any part of it', async () => {
    await log.append(p, entry(0));
    await Promise.all(Array.from({ length: 20 }, (_, index) => log.append(p, entry(index + 1))));
    expect(await placed()).toEqual([true, true]);
    expect(store.sizeOf(0)).toBe(2);
    for (let from = 0; from <= 21; from += 1) {
      expect((await log.read(p, from, 3)).map(({ offset, payload }) => [offset, payload[0]])).toEqual(
        [from, from + 1, from + 2].filter((offset) => offset <= 20).map((offset) => [offset, offset]),
      );
    }
  });

  it('stores the bytes in PostgreSQL while the store is stopped, waits for it once, and returns to it', async () => {
    await log.append(p, entry(0));
    store.faults.isStopped = true;
    for (let content = 1; content < 4; content += 1) await log.append(p, entry(content));
    store.faults.isStopped = false;
    await expect
      .poll(
        async () => {
          await log.append(p, entry(9));
          return (await placed()).at(-1);
        },
        { timeout: 10_000, interval: 200 },
      )
      .toBe(true);
    expect((await placed()).slice(0, 4)).toEqual([true, false, false, false]);
    expect((await contents()).slice(0, 4)).toEqual([0, 1, 2, 3]);
    expect(log.isStoreDegraded).toBe(false);
  });

  describe('while the database commits a flight', () => {
    /** Holds the commits of the partition up until it is called. */
    const holdUp = async (): Promise<() => Promise<void>> => {
      const holder = await pool.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT FROM log_partition WHERE partition = $1 FOR UPDATE', [p]);
      return async () => {
        await holder.query('ROLLBACK');
        holder.release();
      };
    };
    const inStore = (): number => store.sizeOf(0);
    /** Two flights: the commit of the first is held up, and the next is in the store. */
    const twoFlights = async () => {
      await log.append(p, entry(0));
      const release = await holdUp();
      const appended = [log.append(p, entry(1))];
      await expect.poll(inStore).toBe(2);
      appended.push(log.append(p, entry(2)));
      await expect.poll(inStore).toBe(3);
      return { release, appended };
    };

    it('puts the next one into the store, and commits it afterwards', async () => {
      await log.append(p, entry(0));
      const release = await holdUp();
      const first = log.append(p, entry(1));
      await expect.poll(inStore).toBe(2);
      const next = [log.append(p, entry(2)), log.append(p, entry(3))];
      await expect.poll(inStore).toBe(3);
      const last = log.append(p, entry(4));
      await release();
      expect((await Promise.all([first, ...next, last])).map(offsetOf)).toEqual([1, 2, 3, 4]);
      expect(await contents()).toEqual([0, 1, 2, 3, 4]);
      expect(await placed()).toEqual([true, true, true, true]);
    });

    it('commits the next one before it closes', async () => {
      const { release, appended } = await twoFlights();
      const closed = log.close();
      await release();
      expect((await Promise.all(appended)).map(offsetOf)).toEqual([1, 2]);
      await closed;
      log = open();
      expect(await contents()).toEqual([0, 1, 2]);
    });

    it('commits the next one by another connection if this one breaks, or says that it is unknown', async () => {
      const { release, appended } = await twoFlights();
      // Before the first is rejected, so that no rejection is unhandled.
      const settled = Promise.allSettled(appended);
      await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                         WHERE datname = current_database() AND application_name = 'ringfence appender'`);
      const outcomes = await settled;
      await release();
      expect(outcomes[0]).toMatchObject({ status: 'rejected', reason: expect.any(LogUnavailableError) });
      await expect.poll(() => log.append(p, entry(3)).then(offsetOf, () => undefined), { timeout: 10_000 }).toBe(1);
      expect(await contents()).toEqual([0, 3]);
    });
  });

  it('is not degraded by partitions of the store that nothing is appended to', async () => {
    await log.close();
    store = new MemoryRecordStore({ partitions: 3 });
    log = open();
    await log.append(p, entry(0));
    store.faults.isStopped = true;
    await log.append(p, entry(1));
    expect(log.isStoreDegraded).toBe(true);
    store.faults.isStopped = false;
    const returns = async (): Promise<boolean> => {
      await log.append(p, entry(2));
      return log.isStoreDegraded;
    };
    await expect.poll(returns, { timeout: 10_000, interval: 200 }).toBe(false);
    await log.append(p, entry(3));
    expect((await placed()).at(-1)).toBe(true);
  });

  it('answers within a second when the store hangs, and only the first append waits', async () => {
    await log.append(p, entry(0));
    store.faults.putMs = 3_000;
    const startMs = performance.now();
    await log.append(p, entry(1));
    const firstMs = performance.now() - startMs;
    await log.append(p, entry(2));
    const secondMs = performance.now() - startMs - firstMs;
    expect(firstMs).toBeGreaterThan(240);
    expect(firstMs).toBeLessThan(1_000);
    expect(secondMs).toBeLessThan(240);
    expect(await contents()).toEqual([0, 1, 2]);
  });

  it('reads a mix of both, with retries and refused entries left out', async () => {
    await log.append(p, keyed(1, 7, 1));
    const { generation } = await log.head(p);
    const appended = await Promise.allSettled([
      log.append(p, entry(2), generation),
      log.append(p, keyed(3, 7, 9)),
      log.append(p, entry(4), generation + 5),
      log.append(p, keyed(5, 8, 1)),
      log.append(p, entry(6)),
    ]);
    expect(appended[1]).toMatchObject({ value: { kind: 'conflict' } });
    expect(appended[2]).toMatchObject({ reason: expect.any(StaleGenerationError) });
    expect(await contents()).toEqual([1, 2, 5, 6]);
    expect((await messages()).map((one) => (one.kind === 'verdict' ? one.refused : one.kind))).toEqual([
      'append',
      'append',
      [1, 2],
    ]);
    store.faults.isStopped = true;
    await log.append(p, entry(7));
    store.faults.isStopped = false;
    expect(await contents()).toEqual([1, 2, 5, 6, 7]);
  });

  it('answers "unknown" to a refused entry if the store does not take the verdict', async () => {
    await log.append(p, keyed(1, 7, 1));
    store.faults.answerMs = 1_500;
    await expect(log.append(p, keyed(2, 7, 2))).rejects.toThrow(LogUnavailableError);
  }, 10_000);

  it('names what is lost: bytes that changed, and a tail that is gone', async () => {
    await log.append(p, entry(0));
    await Promise.all([log.append(p, entry(1)), log.append(p, entry(2))]);
    await log.append(p, entry(3));
    await log.close();
    log = open();
    store.corrupt(0, 1);
    expect((await log.read(p, 0, 1))[0]!.payload[0]).toBe(0);
    const lost = await log.read(p, 1, 1).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(RecordsLostError);
    expect((lost as Error).message).toMatch(
      new RegExp(`records 1 to 2 of partition ${p} are lost: .* offset 1 of its partition 0`),
    );
    store.loseFrom(0, 2);
    await expect(log.read(p, 3, 1)).rejects.toThrow(`records 3 to 3 of partition ${p} are lost`);
  });

  it('does not take what another cluster stored at the same offset', async () => {
    await log.append(p, entry(0));
    const other = new MemoryRecordStore({ partitions: 1 });
    const stranger = new PostgresLog({ connection, pool, clock: clock.read, records: { store: other, writes: true } });
    await stranger.append(p, entry(1));
    await stranger.close();
    await expect(log.read(p, 1, 1)).rejects.toThrow(RecordsLostError);
  });

  it('refuses to read without a store, and appends beside it', async () => {
    await log.append(p, entry(0));
    const without = new PostgresLog({ connection, pool, clock: clock.read });
    expect(offsetOf(await without.append(p, entry(1)))).toBe(1);
    await expect(without.read(p, 0, 1)).rejects.toThrow('in a store that this process does not have');
    await without.close();
    expect(await contents()).toEqual([0, 1]);
  });

  it('drops from the store what no partition needs, and nothing else', async () => {
    const other = `${p}-other`;
    await log.createPartition(other);
    for (let round = 0; round < 4; round += 1) {
      await log.append(other, entry(round));
      await Promise.all(Array.from({ length: 40 }, () => log.append(p, entry(round))));
      clock.nowMs += 61_000;
    }
    await log.sweepStore();
    const all = store.sizeOf(0);
    await log.dropBefore(p, 120);
    await log.sweepStore();
    expect(store.sizeOf(0)).toBe(all);
    await log.deleteBefore(other, 3, 10);
    await log.sweepStore();
    expect(store.sizeOf(0)).toBeLessThan(all);
    expect(await contents()).toEqual(Array.from({ length: 40 }, () => 3));
    expect((await log.read(other, 0, 10)).map((one) => one.payload[0])).toEqual([3]);
  });
});
