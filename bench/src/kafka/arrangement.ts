import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EpochMs } from '@ringfence/contract';
import { eventually, startPostgres, startWithStandby } from '@ringfence/e2e';
import { logSteps, PostgresLog } from '@ringfence/log';
import { KafkaRecordStore } from '@ringfence/log-kafka';
import { Pool } from 'pg';
import type { Cluster } from '../../../tools/testing/kafka/brokers.ts';
import { processorMs } from '../measure/processor-time.ts';
import { makeLogTopic } from '../scale/log-topics.ts';

/** The product's log on some servers. */
export interface Arrangement {
  readonly name: string;
  readonly log: PostgresLog;
  readonly pool: Pool;
  /** Processor time since the start, in ms. */
  usedMs(): { readonly primary: number; readonly standby: number };
  close(): Promise<void>;
}

/** Workspaces: one alone decides far less than can be appended. */
export const partitions = Array.from({ length: 8 }, (_, at) => `bank-${at}`);
export const topicOfAppends = 'ringfence-appends';
const reachedWithinMs = 30_000;

interface Servers {
  readonly name: string;
  readonly databaseUrl: string;
  readonly usedMs: Arrangement['usedMs'];
  readonly store?: KafkaRecordStore;
  stop(): Promise<void>;
}

export async function postgresAlone(home: string): Promise<Arrangement> {
  const server = await startPostgres(await folder(home, 'alone'));
  return arrange({
    name: 'PostgreSQL alone',
    databaseUrl: server.databaseUrl,
    usedMs: () => ({ primary: processorMs(server.pid), standby: 0 }),
    stop: () => server.stop(),
  });
}

/**
 * PostgreSQL keeps the order, Kafka the bytes.
 *
 * @param ofTopic partitions of the topic
 */
export async function withKafka(home: string, cluster: Cluster, ofTopic: number): Promise<Arrangement> {
  const { brokers, topic } = await makeLogTopic(cluster, topicOfAppends, ofTopic);
  const store = new KafkaRecordStore({ settings: { bootstrapBrokers: [...brokers], topic } });
  await eventually('the topic is known', reachedWithinMs, () => (store.partitions > 0 ? true : undefined));
  const server = await startPostgres(await folder(home, 'kafka'));
  return arrange({
    name: 'with Kafka',
    databaseUrl: server.databaseUrl,
    usedMs: () => ({ primary: processorMs(server.pid), standby: 0 }),
    store,
    stop: () => server.stop(),
  });
}

export async function withStandby(home: string): Promise<Arrangement> {
  const pair = await startWithStandby(await folder(home, 'pair'));
  const { primary, standby } = pair;
  return arrange({
    name: 'with a synchronous standby',
    databaseUrl: primary.databaseUrl,
    usedMs: () => ({ primary: processorMs(primary.pid), standby: processorMs(standby.pid) }),
    stop: () => pair.stop(),
  });
}

async function arrange(servers: Servers): Promise<Arrangement> {
  const { name, databaseUrl, store } = servers;
  const connection = { connectionString: databaseUrl };
  const pool = new Pool({ ...connection, max: 4 });
  await pool.query(logSteps.join(''));
  const records = store && { store, writes: true, close: () => store.close() };
  const log = new PostgresLog({ connection, pool, clock: () => Date.now() as EpochMs, records });
  for (const partition of partitions) await log.createPartition(partition);
  return {
    name,
    log,
    pool,
    usedMs: () => servers.usedMs(),
    close: async () => {
      await log.close();
      await pool.end();
      await servers.stop();
    },
  };
}

async function folder(home: string, name: string): Promise<string> {
  const path = join(home, name);
  await mkdir(path, { mode: 0o711 });
  return path;
}
