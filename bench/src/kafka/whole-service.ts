import { connectToEmbedded, type InstallationPlan, startWebhookReceiver } from '@ringfence/e2e';
import type { Client } from 'pg';
import type { Cluster } from '../../../tools/testing/kafka/brokers.ts';
import { latencies, notAccepted, paymentTraffic } from '../flow/stage.ts';
import { untilDrained, type Whole } from '../payments.ts';
import { processorMs } from '../measure/processor-time.ts';
import { type Product, startProduct } from '../product/start-product.ts';
import { figure, median, table } from '../report/table.ts';
import { makeLogTopic } from '../scale/log-topics.ts';

export interface ServiceOptions {
  readonly seconds: number;
  readonly rounds: number;
  readonly connections: number;
  readonly partitions: number;
}

export interface WholeService {
  readonly name: string;
  readonly rounds: readonly Figures[];
}

interface Figures {
  /** Decided until drained. */
  readonly perSecond: number;
  readonly whole: Whole;
  /** Processor time for an event: the service without PostgreSQL, PostgreSQL, and brokers. */
  readonly nodeUs: number;
  readonly primaryUs: number;
  readonly brokersUs: number;
}

interface Started {
  readonly name: string;
  readonly product: Product;
  readonly database: Client;
}

/** Concurrent visits for each connection, and clients of a round: each has one visit in it. */
const visitsEach = 1.5;
const clientsEach = 20_000;
/** Some rules close sessions: their later operations would wait for a new login. */
const sessionGraceSeconds = 0;

/** Payments from socket to decided, with and without Kafka under the log, in alternating rounds. */
export async function wholeService(cluster: Cluster, options: ServiceOptions): Promise<readonly WholeService[]> {
  const { seconds, rounds, connections } = options;
  const receiver = await startWebhookReceiver();
  const started: Started[] = [];
  const start = async (name: string, kafka?: { readonly logTopic: NonNullable<InstallationPlan['logTopic']> }) => {
    const product = await startProduct({ webhookUrl: receiver.url, sessionGraceSeconds, ...kafka });
    started.push({ name, product, database: await connectToEmbedded(product.stateFolder) });
  };
  const measured: Figures[][] = [[], []];
  try {
    await start('service, PostgreSQL alone');
    await start('service, with Kafka', {
      logTopic: await makeLogTopic(cluster, 'ringfence-service', options.partitions),
    });
    // The first one lets the code be compiled, which takes as long as two of the others.
    for (let round = 0; round <= rounds; round++) {
      const plan = {
        ...paymentTraffic,
        seconds: round === 0 ? 2 * seconds : seconds,
        connections,
        width: Math.ceil(visitsEach * connections),
        clients: clientsEach,
        firstClient: round * clientsEach,
        run: round,
      };
      for (const [at, stage] of started.entries()) {
        const before = brokersMs(cluster);
        const whole = await untilDrained(stage, plan);
        const figures = figuresOf(whole, brokersMs(cluster) - before);
        if (round > 0) measured[at]!.push(figures);
      }
    }
    return started.map(({ name }, at) => ({ name, rounds: measured[at]! }));
  } finally {
    for (const { product, database } of started) {
      await database.end();
      await product.stop();
    }
    await receiver.close();
  }
}

export function printServices(services: readonly WholeService[]): string {
  return table([
    ['', 'decided/s', 'times', 'accepted p50', 'p99', 'slowest', 'node', 'PostgreSQL', 'brokers', 'WAL', 'database'],
    ...services.map(({ name, rounds }) => {
      const of = (read: (figures: Figures) => number): string => figure(median(rounds.map(read)));
      const typical = rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor((rounds.length - 1) / 2)]!;
      return [
        name,
        of(({ perSecond }) => perSecond),
        figure(serviceTimes(services, { name, rounds })),
        ...latencies(typical.whole.load.latency),
        `${of(({ nodeUs }) => nodeUs)} us`,
        `${of(({ primaryUs }) => primaryUs)} us`,
        `${of(({ brokersUs }) => brokersUs)} us`,
        `${of(({ whole }) => whole.walBytes)} bytes`,
        `${of(({ whole }) => whole.bytes)} bytes`,
      ];
    }),
  ]);
}

/** The throughput relative to the first, in the same round. */
export function serviceTimes(services: readonly WholeService[], of: WholeService): number {
  return median(of.rounds.map(({ perSecond }, round) => perSecond / services[0]!.rounds[round]!.perSecond));
}

/** Responses other than 200. */
export function serviceFailures(services: readonly WholeService[]): number {
  return services.flatMap(({ rounds }) => rounds).reduce((sum, { whole }) => sum + notAccepted(whole.load), 0);
}

function figuresOf(whole: Whole, brokersMs: number): Figures {
  const { load, seconds, used } = whole;
  const ms = (isDatabase: boolean): number =>
    used.filter(([part]) => (part === 'postgres') === isDatabase).reduce((sum, [, ms]) => sum + ms, 0);
  return {
    perSecond: load.sent / seconds,
    whole,
    nodeUs: (ms(false) * 1_000) / load.sent,
    primaryUs: (ms(true) * 1_000) / load.sent,
    brokersUs: (brokersMs * 1_000) / load.sent,
  };
}

function brokersMs({ brokers }: Cluster): number {
  return brokers.reduce((sum, broker) => sum + processorMs(broker.pid()), 0);
}
