import { temporaryHome } from '@ringfence/e2e';
import { type Cluster, startBrokers, whyNoBrokers } from '../../../tools/testing/kafka/brokers.ts';
import { latencies } from '../flow/stage.ts';
import type { Bar } from '../report/bars.ts';
import { figure, median, milliseconds, table } from '../report/table.ts';
import { type AppendFigures, killBrokers, measureAppends, warmUp } from './appends.ts';
import { type Arrangement, postgresAlone, withKafka, withStandby } from './arrangement.ts';
import { printServices, serviceFailures, serviceTimes, wholeService } from './whole-service.ts';

export interface KafkaOptions {
  /** Of each measured load. */
  readonly seconds: number;
  readonly rounds: number;
  /** That append at once: enough that more would not append more. */
  readonly callers: number;
  /** Of the topics. */
  readonly partitions: number;
  /** To the whole service. */
  readonly connections: number;
}

const throughputMin = 0.8;
/** What callers of the log are promised when a broker fails. */
const longestMsMax = 1_000;
const warmUpMs = 4_000;
/** So few that each waits for the answer to the others as well: the time of one append decides. */
const fewCallers = 64;

/**
 * The log on PostgreSQL alone, with its bytes on three brokers, and on PostgreSQL with a synchronous standby, in
 * alternating rounds with few and with many callers; then the whole service with and without Kafka; then with each broker
 * killed in turn. All servers are on this machine and share its cores and its disk.
 */
export async function kafka(options: KafkaOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const why = await whyNoBrokers();
  if (why !== undefined) {
    print(`Not measured: ${why}\n`);
    return [];
  }
  const cluster = await startBrokers();
  try {
    return await onCluster(cluster, options, print);
  } finally {
    await cluster.close();
  }
}

async function onCluster(
  cluster: Cluster,
  options: KafkaOptions,
  print: (text: string) => void,
): Promise<readonly Bar[]> {
  const home = await temporaryHome('kafka');
  const arrangements: Arrangement[] = [];
  try {
    arrangements.push(await postgresAlone(home.path));
    arrangements.push(await withKafka(home.path, cluster, options.partitions));
    arrangements.push(await withStandby(home.path));
    const { callers } = options;
    for (const arrangement of arrangements) await warmUp(arrangement, callers, warmUpMs);
    const few = await measured({ arrangements, cluster }, { ...options, callers: fewCallers });
    print(`${printed(arrangements, few, fewCallers)}\n`);
    const many = await measured({ arrangements, cluster }, options);
    print(printed(arrangements, many, callers));
    const services = await wholeService(cluster, options);
    print(`\n${printServices(services)}\n`);
    const killed = await killBrokers(arrangements[1]!, cluster, fewCallers);
    const longest = killed.map(({ latency }) => milliseconds(latency.maxUs)).join(', ');
    const unconfirmed = killed.reduce((sum, { failed }) => sum + failed, 0);
    print(`longest append when a broker is killed, each of the three: ${longest}; unconfirmed ${unconfirmed}\n`);
    const all = [...few.flat(), ...many.flat(), ...killed];
    const throughput = { bar: throughputMin, must: 'reach', unit: 'x' } as const;
    const appends = (count: number): string => `appends with Kafka and ${count} callers, relative to PostgreSQL alone`;
    return [
      { ...throughput, what: appends(callers), measured: timesOf(many, 1) },
      { ...throughput, what: appends(fewCallers), measured: timesOf(few, 1) },
      {
        ...throughput,
        what: 'events decided by the service with Kafka, relative to PostgreSQL alone',
        measured: serviceTimes(services, services[1]!),
      },
      {
        what: 'share of them in Kafka',
        measured: Math.min(...many[1]!.map(({ inKafkaShare }) => inKafkaShare)),
        bar: 0.999,
        must: 'reach',
        unit: '',
      },
      {
        what: 'appends without a confirmation',
        measured: all.reduce((sum, { failed }) => sum + failed, 0),
        bar: 0,
        must: 'stay below',
        unit: '',
      },
      {
        what: 'longest append when a broker is killed',
        measured: Math.max(...killed.map(({ latency }) => latency.maxUs)) / 1_000,
        bar: longestMsMax,
        must: 'stay below',
        unit: 'ms',
      },
      {
        what: 'responses other than 200',
        measured: serviceFailures(services),
        bar: 0,
        must: 'stay below',
        unit: '',
      },
    ];
  } finally {
    for (const arrangement of arrangements) await arrangement.close();
    await home.remove();
  }
}

/** By arrangement, then by round. */
async function measured(
  { arrangements, cluster }: { readonly arrangements: readonly Arrangement[]; readonly cluster: Cluster },
  options: KafkaOptions,
): Promise<readonly (readonly AppendFigures[])[]> {
  const figures: AppendFigures[][] = arrangements.map(() => []);
  for (let round = 0; round < options.rounds; round++) {
    for (const [at, arrangement] of arrangements.entries())
      figures[at]!.push(await measureAppends(arrangement, cluster, options));
  }
  return figures;
}

function printed(
  arrangements: readonly Arrangement[],
  measured: readonly (readonly AppendFigures[])[],
  callers: number,
): string {
  const idle = median(measured[0]!.map(({ brokersCores }) => brokersCores));
  return `${table([
    [
      `${callers} callers`,
      'appends/s',
      'times',
      'p50',
      'p99',
      'slowest',
      'node',
      'PostgreSQL',
      'standby',
      'brokers',
      'WAL',
      'database',
      'unconfirmed',
    ],
    ...arrangements.map(({ name }, at) => {
      const rounds = measured[at]!;
      const of = (read: (figures: AppendFigures) => number): string => figure(median(rounds.map(read)));
      const typical = rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor((rounds.length - 1) / 2)]!;
      return [
        name,
        of(({ perSecond }) => perSecond),
        figure(timesOf(measured, at)),
        ...latencies(typical.latency),
        `${of(({ nodeUs }) => nodeUs)} us`,
        `${of(({ primaryUs }) => primaryUs)} us`,
        `${of(({ standbyUs }) => standbyUs)} us`,
        `${of(({ brokersUs }) => brokersUs)} us`,
        `${of(({ walBytes }) => walBytes)} bytes`,
        `${of(({ databaseBytes }) => databaseBytes)} bytes`,
        figure(rounds.reduce((sum, { failed }) => sum + failed, 0)),
      ];
    }),
  ])}each round: ${arrangements.map(({ name }, at) => `${name} ${measured[at]!.map(({ perSecond }) => figure(perSecond)).join(', ')}`).join('; ')}
brokers without appends: ${figure(100 * idle)} % of a core, also counted above\n`;
}

/** Appends a second relative to PostgreSQL alone, in the same round: the machine's speed changes in between. */
function timesOf(measured: readonly (readonly AppendFigures[])[], at: number): number {
  return median(measured[at]!.map(({ perSecond }, round) => perSecond / measured[0]![round]!.perSecond));
}
