import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@ringfence/e2e';
import { countPlacedBlocks, LogUnavailableError, type PostgresLog } from '@ringfence/log';
import type { Cluster } from '../../../tools/testing/kafka/brokers.ts';
import { Histogram } from '../measure/histogram.ts';
import { processorMs } from '../measure/processor-time.ts';
import { untilInSync } from '../scale/log-topics.ts';
import { type Arrangement, partitions, topicOfAppends } from './arrangement.ts';

export interface AppendFigures {
  readonly perSecond: number;
  readonly latency: Histogram;
  /** Appends without a confirmation. */
  readonly failed: number;
  /** For an append: processor time of this process, with its callers, and of the servers. */
  readonly nodeUs: number;
  readonly primaryUs: number;
  readonly standbyUs: number;
  readonly brokersUs: number;
  /** Processor time of the brokers in cores, with or without appends to them. */
  readonly brokersCores: number;
  /** Write-ahead log for an append. */
  readonly walBytes: number;
  /** Of PostgreSQL's tables and indexes, for an append. */
  readonly databaseBytes: number;
  /** Share of appends whose bytes Kafka keeps. */
  readonly inKafkaShare: number;
}

interface Answered {
  readonly latency: Histogram;
  readonly failed: number;
  readonly seconds: number;
}

const payloadBytes = 1_100;
/** Some thousand payloads, so that nothing can compress them. */
const random = randomBytes(4 * 1024 * 1024);
const reachedWithinMs = 60_000;
const killedAfterMs = 500;
/** Longer than a new leader takes, and than the first probes. */
const watchedMs = 5_000;

/** What appends cost, with callers that each wait for the answer before the next one. */
export async function measureAppends(
  arrangement: Arrangement,
  cluster: Cluster,
  { callers, seconds }: { readonly callers: number; readonly seconds: number },
): Promise<AppendFigures> {
  const sizesBefore = await sizesOf(arrangement);
  const before = { ...arrangement.usedMs(), brokers: brokersMs(cluster), ...sizesBefore };
  const node = process.cpuUsage();
  const answered = await append(arrangement.log, callers, AbortSignal.timeout(seconds * 1_000));
  const { user, system } = process.cpuUsage(node);
  const after = { ...arrangement.usedMs(), brokers: brokersMs(cluster), ...(await sizesOf(arrangement)) };
  const appends = answered.latency.count - answered.failed;
  const each = (part: keyof typeof after): number => (after[part] - before[part]) / appends;
  return {
    perSecond: appends / answered.seconds,
    latency: answered.latency,
    failed: answered.failed,
    nodeUs: (user + system) / appends,
    primaryUs: each('primary') * 1_000,
    standbyUs: each('standby') * 1_000,
    brokersUs: each('brokers') * 1_000,
    brokersCores: (after.brokers - before.brokers) / 1_000 / answered.seconds,
    walBytes: each('wal'),
    databaseBytes: each('database'),
    inKafkaShare: each('inKafka'),
  };
}

/** Appends until the code is compiled, and Kafka takes the bytes if there is a topic. */
export async function warmUp({ log }: Pick<Arrangement, 'log'>, callers: number, ms: number): Promise<void> {
  const over = new AbortController();
  const running = append(log, callers, over.signal);
  try {
    await sleep(ms);
    await eventually('Kafka takes the bytes', reachedWithinMs, () => (log.isStoreDegraded ? undefined : true));
  } finally {
    over.abort();
    await running;
  }
}

/** The same while each broker is killed in turn, and started again. The figures are those of each kill. */
export async function killBrokers(
  { log }: Arrangement,
  cluster: Cluster,
  callers: number,
): Promise<readonly Answered[]> {
  const answered: Answered[] = [];
  for (const broker of cluster.brokers) {
    // Until it has what it missed, no other one may fail.
    await untilInSync(cluster, topicOfAppends);
    await warmUp({ log }, callers, killedAfterMs);
    const running = append(log, callers, AbortSignal.timeout(killedAfterMs + watchedMs));
    await sleep(killedAfterMs);
    await broker.kill();
    answered.push(await running);
    await broker.start();
  }
  return answered;
}

async function append(log: PostgresLog, callers: number, over: AbortSignal): Promise<Answered> {
  const latency = new Histogram();
  let failed = 0;
  let at = 0;
  const call = async (_: unknown, caller: number): Promise<void> => {
    const partition = partitions[caller % partitions.length]!;
    while (!over.aborted) {
      at = (at + payloadBytes) % (random.length - payloadBytes);
      const payload = random.subarray(at, at + payloadBytes);
      const sentMs = performance.now();
      try {
        await log.append(partition, { kind: 'operation', subject: 'abcdefgh12345678', payload }, 0);
      } catch (error) {
        if (!(error instanceof LogUnavailableError)) throw error;
        failed += 1;
      }
      latency.record((performance.now() - sentMs) * 1_000);
    }
  };
  const begunMs = performance.now();
  await Promise.all(Array.from({ length: callers }, call));
  return { latency, failed, seconds: (performance.now() - begunMs) / 1_000 };
}

function brokersMs({ brokers }: Cluster): number {
  return brokers.reduce((sum, broker) => sum + processorMs(broker.pid()), 0);
}

interface Sizes {
  readonly wal: number;
  readonly database: number;
  /** Records whose bytes Kafka has. */
  readonly inKafka: number;
}

async function sizesOf({ log, pool }: Arrangement): Promise<Sizes> {
  const { rows } = await pool.query<{ wal: number; database: number }>(
    `SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS wal,
            pg_database_size(current_database())::float8 AS database`,
  );
  const placed = log.putsIntoStore ? [...(await countPlacedBlocks(pool)).values()] : [];
  return { ...rows[0]!, inKafka: placed.reduce((sum, { records }) => sum + records, 0) };
}
