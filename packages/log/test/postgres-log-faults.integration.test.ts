import { Pool } from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freshDatabase } from '../../../tools/testing/postgres.ts';
import { entry, keyed, offsetOf, TestClock } from '../conformance/log-harness.ts';
import { queueEntriesMax } from '../src/bounds.ts';
import { type GrowthListener, LogUnavailableError } from '../src/log.ts';
import { PostgresLog } from '../src/postgres/postgres-log.ts';
import { logSteps } from '../src/schema.ts';
import { type PostgresProxy, startProxy } from './support/postgres-proxy.ts';
import { patience } from '../../../tools/testing/patience.ts';

const database = await freshDatabase();
const pool = new Pool({ ...database.config, max: 6 });
pool.on('error', () => {});
await pool.query(logSteps.join(''));
afterAll(() => pool.end());

/** Callers are guaranteed an answer, good or bad, within 2 s; timers of a busy machine fire late. */
const answerMsMax = 5_000;

describe('PostgresLog', () => {
  const clock = new TestClock();
  const logs: PostgresLog[] = [];
  let proxy: PostgresProxy;
  let p: string;
  let made = 0;

  function open(connection = database.config, rangeRecords = 4): PostgresLog {
    const log = new PostgresLog({ connection, pool, clock: clock.read, rangeRecords });
    logs.push(log);
    return log;
  }

  beforeEach(async () => {
    proxy = await startProxy(database.config);
    made += 1;
    p = `p${String(made)}`;
    await open().createPartition(p);
  });
  afterEach(async () => {
    await Promise.all(logs.splice(0).map((log) => log.close()));
    await proxy.close();
  });

  async function refusal(append: Promise<unknown>): Promise<number> {
    const startMs = performance.now();
    await expect(append).rejects.toThrow(LogUnavailableError);
    return performance.now() - startMs;
  }

  describe('next to another process', () => {
    it('shares the offsets without gaps, and locks the heads in one order', async () => {
      // Ranges of four would create hundreds of tables under the heads that the other one waits for.
      const [one, two] = [open(database.config, 256), open()];
      const partitions = [`${p}-one`, `${p}-two`] as const;
      for (const partition of partitions) await one.createPartition(partition);
      const calls = Array.from({ length: 400 }, (_, index) => index);
      const appended = await Promise.all(
        calls.flatMap((index) => [
          one.append(partitions[index % 2]!, entry(1)),
          two.append(partitions[(index + 1) % 2]!, entry(2)),
        ]),
      );
      expect(appended).toHaveLength(800);
      for (const partition of partitions) {
        const records = await one.read(partition, 0, 1_000);
        expect(records.map(({ offset }) => offset)).toEqual(calls);
        expect(new Set(records.map(({ payload }) => payload[0]))).toEqual(new Set([1, 2]));
      }
    });

    it('detects appends of the other long before it polls', async () => {
      const [writer, reader] = [open(), open()];
      const heard = vi.fn<GrowthListener>();
      reader.onAppend(heard);
      await vi.waitFor(() => expect(heard).toHaveBeenCalledWith(p, expect.any(Number)), patience);
      const waitsMs: number[] = [];
      for (let content = 0; content < 9; content += 1) {
        heard.mockClear();
        await writer.append(p, entry(content));
        const startMs = performance.now();
        await vi.waitFor(() => expect(heard).toHaveBeenCalledWith(p, expect.any(Number)), { ...patience, interval: 2 });
        waitsMs.push(performance.now() - startMs);
      }
      // It polls once a second: that alone would put the median of nine at half a second.
      expect(waitsMs.toSorted((a, b) => a - b)[4]).toBeLessThan(400);
    });

    it('does not wait in the queue of transactions that notify', async () => {
      // PostgreSQL commits these one after the other, each with its own fsync.
      const { rows } = await pool.query<{ text: string }>(
        `SELECT prosrc AS text FROM pg_proc WHERE proname = 'log_append'`,
      );
      expect(rows.map(({ text }) => /notify/i.test(text))).toEqual([false]);
    });

    it('detects appends of the other, also after its listening connection was lost', async () => {
      const [writer, reader] = [open(), open()];
      const listener = vi.fn<GrowthListener>();
      reader.onAppend(listener);
      await vi.waitFor(() => expect(listener).toHaveBeenCalledWith(p, expect.any(Number)), patience);

      for (const content of [1, 2]) {
        listener.mockClear();
        await writer.append(p, entry(content));
        await vi.waitFor(() => expect(listener).toHaveBeenCalledWith(p, expect.any(Number)), patience);
        await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                           WHERE datname = current_database() AND query LIKE 'LISTEN%'`);
      }
    });
  });

  describe('when the connection fails', () => {
    it('reports an append whose answer was lost as unknown; the retry finds it stored', async () => {
      const log = open(proxy.connection);
      await log.append(p, entry(0));
      proxy.mode = 'cut';
      await refusal(log.append(p, keyed(1, 7, 1)));
      proxy.mode = 'pass';
      expect(await log.append(p, keyed(1, 7, 1))).toMatchObject({ offset: 2, retryOf: 1 });
    });

    it('refuses in time while the server is silent, and appends again when it responds', async () => {
      const log = open(proxy.connection);
      await log.append(p, entry(0));
      proxy.mode = 'mute';
      const refusals = await Promise.all([refusal(log.append(p, entry(1))), refusal(log.append(p, entry(2)))]);
      expect(Math.max(...refusals)).toBeLessThan(answerMsMax);
      proxy.mode = 'pass';
      await vi.waitFor(async () => expect(await log.append(p, entry(3))).toMatchObject({ kind: 'appended' }), patience);
    });

    it('replaces a connection that goes silent before its first append', async () => {
      proxy.mode = 'greet';
      const log = open(proxy.connection);
      expect(await refusal(log.append(p, entry(1)))).toBeLessThan(answerMsMax);
      proxy.mode = 'pass';
      await vi.waitFor(async () => expect(await log.append(p, entry(2))).toMatchObject({ kind: 'appended' }), patience);
    });

    it('closes in time while the server is silent', async () => {
      const log = open(proxy.connection);
      await log.append(p, entry(0));
      proxy.mode = 'mute';
      const startMs = performance.now();
      await log.close();
      expect(performance.now() - startMs).toBeLessThan(answerMsMax);
    });

    it('refuses in time without a server, and immediately when too many wait', async () => {
      const log = open({ ...database.config, host: `${database.config.host}-gone` });
      const appends = Array.from({ length: queueEntriesMax }, () => refusal(log.append(p, entry(1))));
      expect(await Promise.race([refusal(log.append(p, entry(1))).then(() => 'the last'), ...appends])).toBe(
        'the last',
      );
      expect(Math.max(...(await Promise.all(appends)))).toBeLessThan(answerMsMax);
    });

    it('recovers automatically, and has kept everything that it acknowledged', async () => {
      const log = open();
      const acknowledged: number[] = [];
      for (let round = 0; round < 5; round += 1) {
        const burst = Promise.allSettled(Array.from({ length: 100 }, () => log.append(p, entry(round))));
        await pool.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                           WHERE datname = current_database() AND query LIKE '%log_append(%' AND pid <> pg_backend_pid()`);
        for (const outcome of await burst) {
          if (outcome.status === 'fulfilled') acknowledged.push(offsetOf(outcome.value));
        }
        await vi.waitFor(async () => acknowledged.push(offsetOf(await log.append(p, entry(round)))), patience);
      }
      const kept = (await log.read(p, 0, 10_000)).map(({ offset }) => offset);
      expect(kept).toEqual(kept.map((_, offset) => offset));
      expect(new Set(kept)).toEqual(new Set([...kept, ...acknowledged]));
      expect(new Set(acknowledged).size).toBe(acknowledged.length);
    });
  });

  it('refuses in time what waits for a locked head, and stores nothing of it', async () => {
    const log = open();
    await log.append(p, entry(0));
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT FROM log_partition WHERE partition = $1 FOR UPDATE', [p]);
    expect(await refusal(log.append(p, entry(1)))).toBeLessThan(answerMsMax);
    await other.query('ROLLBACK');
    other.release();
    expect(await log.append(p, entry(2))).toMatchObject({ offset: 1 });
  });

  it('drops no range in use by a reader, and blocks no one: the next drop removes it', async () => {
    const log = open();
    await Promise.all(Array.from({ length: 9 }, (_, index) => log.append(p, entry(index))));
    const { number } = (
      await pool.query<{ number: number }>('SELECT number FROM log_partition WHERE partition = $1', [p])
    ).rows[0]!;
    const tables = async (): Promise<readonly string[]> =>
      (
        await pool.query<{ name: string }>(
          `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relname LIKE $1 ORDER BY 1`,
          [`log\\_${String(number)}\\_%`],
        )
      ).rows.map(({ name }) => name);

    const reader = await pool.connect();
    await reader.query('BEGIN');
    await reader.query(`SELECT count(*) FROM log_${String(number)}_0`);
    const dropping = log.dropBefore(p, 4);
    expect(await log.append(p, entry(9))).toMatchObject({ offset: 9 });
    expect(await dropping).toBe(4);
    expect(await tables()).toHaveLength(3);
    await reader.query('COMMIT');
    reader.release();
    expect(await log.dropBefore(p, 8)).toBe(8);
    expect(await tables()).toEqual([`log_${String(number)}_2`]);
  });
});
