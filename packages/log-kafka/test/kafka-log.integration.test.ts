import { Admin } from '@platformatic/kafka';
import { setTimeout as sleep } from 'node:timers/promises';
import { logSteps, LogUnavailableError, PostgresLog, type RecordStore } from '@ringfence/log';
import { entry, logConformance, offsetOf, recordStoreConformance, TestClock } from '@ringfence/log/conformance';
import { Pool, type PoolClient } from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import { type Cluster, startBrokers, whyNoBrokers } from '../../../tools/testing/kafka/brokers.ts';
import { freshDatabase } from '../../../tools/testing/postgres.ts';
import { checkTopic, readTopic } from '../src/check-topic.ts';
import { KafkaRecordStore } from '../src/kafka-record-store.ts';
import type { KafkaSettings } from '../src/kafka-settings.ts';

const why = await whyNoBrokers();
const cluster: Cluster | undefined = why === undefined ? await startBrokers() : undefined;
const addresses = cluster?.addresses ?? [];
const topics = new Admin({ clientId: 'test', bootstrapBrokers: [...addresses], retries: 3 });
const good = {
  'min.insync.replicas': '2',
  'retention.ms': '-1',
  'unclean.leader.election.enable': 'false',
  'max.message.bytes': '8388608',
};
const stores: RecordStore[] = [];
let made = 0;

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await topics.close();
  await cluster?.close();
});

async function makeTopic(configs: Record<string, string> = good, replicas = 3): Promise<KafkaSettings> {
  made += 1;
  const topic = `log-${made}`;
  await topics.createTopics({
    topics: [topic],
    partitions: 3,
    replicas,
    configs: Object.entries(configs).map(([name, value]) => ({ name, value })),
  });
  const settings = { bootstrapBrokers: [...addresses], topic };
  // Each broker hears of it a little later.
  for (const address of addresses) {
    const there = (): Promise<unknown> =>
      readTopic({ ...settings, bootstrapBrokers: [address] }).catch(() => undefined);
    await expect.poll(there, { timeout: 20_000 }).toBeDefined();
  }
  return settings;
}

async function openStore(settings: KafkaSettings): Promise<KafkaRecordStore> {
  const store = new KafkaRecordStore({ settings });
  stores.push(store);
  await expect.poll(() => store.partitions, { timeout: 20_000 }).toBe(3);
  return store;
}

describe.skipIf(why !== undefined)(`Kafka${why === undefined ? '' : ` (skipped: ${why})`}`, () => {
  let shared: Promise<KafkaRecordStore> | undefined;
  const sharedStore = (): Promise<KafkaRecordStore> => (shared ??= makeTopic().then(openStore));
  recordStoreConformance('Kafka', sharedStore);

  describe('under the log', () => {
    let database: Promise<{ readonly connection: object; readonly pool: Pool }> | undefined;
    const opened = async () => {
      database ??= freshDatabase().then(async ({ config: connection }) => {
        const pool = new Pool({ ...connection, max: 4 });
        await pool.query(logSteps.join(''));
        await pool.query('CREATE TABLE note (text text NOT NULL)');
        return { connection, pool };
      });
      return database;
    };
    afterAll(async () => {
      await (await database)?.pool.end();
    });

    logConformance('PostgreSQL, and the bytes in Kafka', {
      copiesBlocks: true,
      open: async (clock, rangeRecords) => {
        const { connection, pool } = await opened();
        const records = { store: await sharedStore(), writes: true };
        return new PostgresLog({ connection, pool, clock: clock.read, rangeRecords, records });
      },
      beginLife: async (_, partition) => {
        const { pool } = await opened();
        await pool.query(`UPDATE log_partition SET life = 'another cluster' WHERE partition = $1`, [partition]);
      },
      closePartition: async (_, partition) => {
        const { pool } = await opened();
        await pool.query('UPDATE log_partition SET closed = true WHERE partition = $1', [partition]);
      },
      notes: {
        write: async (transaction, text) => {
          await (transaction as PoolClient).query('INSERT INTO note VALUES ($1)', [text]);
        },
        all: async () => {
          const { pool } = await opened();
          return (await pool.query<{ text: string }>('SELECT text FROM note')).rows.map(({ text }) => text);
        },
      },
    });

    it('loses and doubles nothing, and answers within a second, while each broker is killed or hangs', async () => {
      const { connection, pool } = await opened();
      const store = await openStore(await makeTopic());
      const clock = new TestClock().read;
      const log = new PostgresLog({ connection, pool, clock, records: { store, writes: true } });
      const reader = new PostgresLog({ connection, pool, clock, records: { store, writes: false } });
      // Shows how busy the machine is: its slowest append has nothing to do with the brokers.
      const beside = new PostgresLog({ connection, pool, clock });
      const over = new AbortController();
      const acked = new Map<string, number[]>();
      const slowestMs = { log: 0, beside: 0 };
      const load = async (to: 'log' | 'beside', partition: string): Promise<void> => {
        while (!over.signal.aborted) {
          const startMs = performance.now();
          try {
            const appended = await (to === 'log' ? log : beside).append(partition, entry(1));
            acked.get(partition)!.push(offsetOf(appended));
          } catch (error) {
            // Only a machine without a free processor is that late; the entry may be there or not.
            if (!(error instanceof LogUnavailableError)) throw error;
          }
          slowestMs[to] = Math.max(slowestMs[to], performance.now() - startMs);
        }
      };
      const partitions = ['kill-a', 'kill-b', 'kill-c', 'kill-d'];
      for (const partition of [...partitions, 'beside']) {
        acked.set(partition, []);
        await log.createPartition(partition);
      }
      const loads = [...partitions, ...partitions].map((partition) => load('log', partition));
      loads.push(load('beside', 'beside'));
      for (const broker of cluster!.brokers) {
        await sleep(1_000);
        await broker.kill();
        await sleep(1_500);
        await broker.start();
        await sleep(2_500);
      }
      cluster!.brokers[0].stop();
      await sleep(3_000);
      cluster!.brokers[0].resume();
      over.abort();
      await Promise.all(loads);
      expect(slowestMs.log).toBeLessThan(1_000 + slowestMs.beside);
      for (const [partition, offsets] of acked) {
        expect(new Set(offsets).size).toBe(offsets.length);
        let end = 0;
        for (let records; (records = await reader.read(partition, end, 10_000)).length > 0;) end += records.length;
        expect(end).toBe((await reader.head(partition)).end);
        expect(Math.max(...offsets)).toBeLessThan(end);
      }
      await Promise.all([log.close(), reader.close(), beside.close()]);
    }, 180_000);
  });

  it('accepts a topic that keeps everything', async () => {
    expect(await checkTopic(await makeTopic())).toEqual([]);
  });

  it.each([
    ['min.insync.replicas', '1'],
    ['retention.ms', '604800000'],
    ['retention.bytes', '1000000'],
    ['unclean.leader.election.enable', 'true'],
    ['cleanup.policy', 'compact'],
    ['max.message.bytes', '100000'],
    ['message.timestamp.before.max.ms', '1000'],
    ['message.timestamp.after.max.ms', '1000'],
  ])('refuses a topic whose %s is %s, and says what to do', async (name, value) => {
    const faults = await checkTopic(await makeTopic({ ...good, [name]: value }));
    expect(faults).toHaveLength(1);
    expect(faults[0]!.detail).toContain(name);
    expect(faults[0]!.mend).toMatch(/^kafka-configs --alter --entity-type topics --entity-name log-\d+ --add-config /);
  });

  it('refuses a topic with fewer replicas, and one that does not exist', async () => {
    const settings = await makeTopic(good, 2);
    expect(await checkTopic(settings)).toMatchObject([{ detail: expect.stringContaining('has 2 replicas') }]);
    expect(await checkTopic({ ...settings, topic: 'missing' })).toMatchObject([
      { mend: expect.stringContaining('kafka-topics --create --topic missing') },
    ]);
  });
});
