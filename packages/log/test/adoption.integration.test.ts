import fc from 'fast-check';
import { Pool } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { freshDatabase } from '../../../tools/testing/postgres.ts';
import { TestClock } from '../conformance/log-harness.ts';
import { LogUnavailableError } from '../src/log.ts';
import { MemoryRecordStore } from '../src/memory-record-store.ts';
import { PostgresLog } from '../src/postgres/postgres-log.ts';
import type { StoredBytes } from '../src/record-store.ts';
import { logSteps } from '../src/schema.ts';

const { config: connection } = await freshDatabase();
const pool = new Pool({ ...connection, max: 6 });
await pool.query(logSteps.join(''));
afterAll(() => pool.end());

/** What a rollback of the database takes back. */
const tables = ['log_partition', 'log_idempotency', 'log_place', 'log_noted', 'log_block'];

/** The state of the database, kept aside: of the log's tables and those of its ranges. */
async function snapshot(): Promise<void> {
  for (const table of [...tables, ...(await ranges())]) {
    await pool.query(`DROP TABLE IF EXISTS saved_${table}; CREATE TABLE saved_${table} AS TABLE ONLY ${table}`);
  }
}

async function ranges(): Promise<readonly string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'log_block'::regclass`,
  );
  return rows.map(({ name }) => name);
}

async function rollBack(): Promise<void> {
  for (const table of [...tables, ...(await ranges())]) {
    const { rows } = await pool.query<{ saved: boolean }>(`SELECT to_regclass('saved_${table}') IS NOT NULL AS saved`);
    await pool.query(`DELETE FROM ONLY ${table}`);
    if (rows[0]?.saved === true) await pool.query(`INSERT INTO ${table} OVERRIDING SYSTEM VALUE TABLE saved_${table}`);
  }
  await pool.query(`UPDATE log_partition SET life = 'before the rollback'`);
}

type Act =
  | { readonly kind: 'append'; readonly by: number; readonly count: number; readonly refused: number }
  | { readonly kind: 'slow' | 'doubling' | 'well' | 'snapshot' | 'rollback' | 'later' };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      by: fc.nat(1),
      count: fc.integer({ min: 1, max: 6 }),
      refused: fc.nat(2),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constantFrom('slow', 'doubling', 'well', 'snapshot', 'rollback', 'later') }),
  },
);

/** The ledger of who appends. */
interface Ledger {
  /** Acknowledged. */
  readonly acked: Set<string>;
  /** Refused for good: never in the log. */
  readonly refused: Set<string>;
}

describe('adoption after a rollback', () => {
  it('keeps every acknowledged entry that reached the store, once, and no refused one', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 6, maxLength: 22 }), async (acts) => {
        run += 1;
        expect(await play(`p${run}`, acts)).toBeGreaterThan(0);
      }),
      { seed: 45, numRuns: Number(process.env['RINGFENCE_ADOPTION_RUNS'] ?? 10), endOnFailure: true },
    );
  }, 120_000);

  it('reads what partitions of the log share once, when their new life begins with one batch', async () => {
    const store = new CountingStore({ partitions: 1 });
    await pool.query('UPDATE log_store SET id = gen_random_uuid()');
    const open = (): PostgresLog =>
      new PostgresLog({ connection, pool, clock: new TestClock().read, records: { store, writes: true } });
    const names = Array.from({ length: 8 }, (_, index) => `shared${index}`);
    const all = async (log: PostgresLog, text: string): Promise<unknown> =>
      Promise.all(names.map((p) => log.append(p, { kind: 'operation', payload: Buffer.from(text) }, undefined)));
    const before = open();
    for (const p of names) await before.createPartition(p);
    await all(before, 'first');
    await snapshot();
    for (let index = 0; index < 10; index++) await all(before, `lost ${index}`);
    await before.close();
    await rollBack();
    const messages = store.sizeOf(0);
    const after = open();
    await all(after, 'last');
    for (const p of names) {
      const texts = (await after.read(p, 0, 100)).map(({ payload }) => Buffer.from(payload).toString());
      expect(texts).toEqual(['first', ...Array.from({ length: 10 }, (_, index) => `lost ${index}`), 'last']);
    }
    await after.close();
    expect(messages).toBe(8 * 11);
    expect(store.scanned).toBe(messages + 8); // the last batch was put before
  });
});

/** Counts the messages that are read in order. */
class CountingStore extends MemoryRecordStore {
  scanned = 0;

  override async *after(partition: number, offset: number): AsyncGenerator<StoredBytes> {
    for await (const one of super.after(partition, offset)) {
      this.scanned += 1;
      yield one;
    }
  }
}

/** @returns how many entries were acknowledged and are kept */
async function play(p: string, acts: readonly Act[]): Promise<number> {
  const clock = new TestClock();
  const store = new MemoryRecordStore({ partitions: 2 });
  await pool.query('UPDATE log_store SET id = gen_random_uuid()');
  const open = (): PostgresLog =>
    new PostgresLog({ connection, pool, clock: clock.read, records: { store, writes: true } });
  let logs = [open(), open()];
  const ledger: Ledger = { acked: new Set(), refused: new Set() };
  let given = 0;
  await logs[0]!.createPartition(p);
  await send(logs[0]!, { p, name: 'first', generation: undefined, ledger });
  await snapshot();
  for (const one of [...acts, { kind: 'rollback' } as const, { kind: 'well' } as const]) {
    switch (one.kind) {
      case 'append': {
        const log = logs[one.by]!;
        const { generation } = await log.head(p);
        const names = Array.from({ length: one.count }, () => `e${(given += 1)}`);
        await Promise.all(
          names.map((name, index) =>
            send(log, { p, name, generation: index < one.refused ? generation + 1 : undefined, ledger }),
          ),
        );
        break;
      }
      case 'slow':
        store.faults.putMs = 280;
        break;
      case 'doubling':
        store.faults.isDoubling = true;
        break;
      case 'well':
        store.faults.putMs = 0;
        store.faults.isDoubling = false;
        break;
      case 'later':
        clock.nowMs += 61_000;
        break;
      case 'snapshot':
        await snapshot();
        break;
      case 'rollback': {
        await Promise.all(logs.map((log) => log.close()));
        const before = await inlineOf(p);
        // A copy of an append that PostgreSQL stored may land after that.
        await new Promise((resolve) => setTimeout(resolve, store.faults.putMs));
        await rollBack();
        logs = [open(), open()];
        await send(logs[0]!, { p, name: `e${(given += 1)}`, generation: undefined, ledger });
        await expectKept(logs[0]!, { p, before, ledger });
        break;
      }
    }
  }
  await Promise.all(logs.map((log) => log.close()));
  return ledger.acked.size;
}

async function send(
  log: PostgresLog,
  {
    p,
    name,
    generation,
    ledger,
  }: { readonly p: string; readonly name: string; readonly generation: number | undefined; readonly ledger: Ledger },
): Promise<void> {
  try {
    await log.append(p, { kind: 'operation', payload: Buffer.from(name) }, generation);
    ledger.acked.add(name);
  } catch (error) {
    if (!(error instanceof LogUnavailableError)) ledger.refused.add(name);
  }
}

/** The records of the partition that PostgreSQL alone has. */
async function inlineOf(p: string): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT convert_from(r.payload, 'UTF8') AS name FROM log_record r JOIN log_partition p ON p.partition = $1
      WHERE r.payload IS NOT NULL AND r.range::text LIKE format('log\\_%s\\_%%', p.number)`,
    [p],
  );
  return new Set(rows.map(({ name }) => name));
}

async function expectKept(
  log: PostgresLog,
  { p, before: inline, ledger }: { readonly p: string; readonly before: ReadonlySet<string>; readonly ledger: Ledger },
): Promise<void> {
  const names = (await log.read(p, 0, 10_000)).map(({ payload }) => Buffer.from(payload).toString());
  expect(new Set(names).size).toBe(names.length);
  const present = new Set(names);
  for (const name of ledger.acked) {
    if (present.has(name)) continue;
    // Only what PostgreSQL alone had may be gone with it.
    expect(inline).toContain(name);
    ledger.acked.delete(name);
  }
  for (const name of ledger.refused) expect(present).not.toContain(name);
}
