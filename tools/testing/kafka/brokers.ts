/**
 * Three real Apache Kafka brokers for tests and benches: of Maven Central's jars, on Java 17 or newer, in about half a
 * gigabyte of memory. Each is broker and controller at once, so the cluster lives on while any two of them do.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { access, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Admin } from '@platformatic/kafka';

/** The machine of one broker; by default each is on loopback. */
export interface BrokerHost {
  readonly address: string;
  /** What starts a program there, such as `['ip', 'netns', 'exec', 'a']`. */
  readonly enter: readonly string[];
}

export interface Broker {
  /** `address:port` of its listener for clients. */
  readonly address: string;
  readonly pid: () => number;
  /** SIGKILL: what was not written stays in the page cache of this machine. */
  kill(): Promise<void>;
  /** SIGSTOP, as a machine that hangs. */
  stop(): void;
  /** SIGCONT after `stop`. */
  resume(): void;
  /** Starts it again after `kill`; resolves when it accepts connections. */
  start(): Promise<void>;
  /** Deletes what it has stored, as a machine that is replaced. Only after `kill`. */
  removeData(): Promise<void>;
  /** Its newest output, for a failure report. */
  output(): Promise<string>;
}

export interface Cluster {
  readonly brokers: readonly [Broker, Broker, Broker];
  /** Of all brokers, as clients are configured. */
  readonly addresses: readonly string[];
  /** Ends all brokers and removes their data. */
  close(): Promise<void>;
}

const version = '4.4.0';
const javaMin = 17;
/** Brokers of a busy machine. */
const startTimeoutMs = 120_000;
const pollMs = 100;
/** Of the jars, next to those of other versions. */
const jarsFolder = join(tmpdir(), `ringfence-kafka-${version}`);
const run = promisify(execFile);

/** Why no brokers can be started here; `undefined`: they can. */
export async function whyNoBrokers(): Promise<string | undefined> {
  try {
    const { stderr } = await run('java', ['-version']);
    const major = Number(/version "(\d+)/.exec(stderr)?.[1] ?? 0);
    if (major < javaMin) return `Java ${javaMin} is needed, this is ${major}`;
    if (await exists(jarsFolder)) return undefined;
    await run('mvn', ['-v']);
    return undefined;
  } catch (error) {
    return `Java ${javaMin} and Maven are needed: ${(error as Error).message.split('\n', 1)[0]}`;
  }
}

/**
 * Starts three brokers and waits until all three are members of the cluster; where this process may not reach their
 * hosts, only until each accepts connections. Takes some 10 s of processor time.
 *
 * @throws with the output of a broker that ends, or does not come up
 */
export async function startBrokers(hosts: readonly BrokerHost[] = []): Promise<Cluster> {
  const classPath = `${await jars()}/*`;
  const home = await mkdtemp(join(tmpdir(), 'ringfence-brokers-'));
  const places = [0, 1, 2].map((place) => hosts[place] ?? { address: '127.0.0.1', enter: [] });
  const ports = await Promise.all(places.map((host) => portsOf(host)));
  const voters = ports.map(({ controller }, id) => `${id + 1}@${places[id]!.address}:${controller}`).join(',');
  const clusterId = (await java(classPath, [], ['kafka.tools.StorageTool', 'random-uuid'])).trim();
  const brokers = await Promise.all(
    places.map((host, place) =>
      prepare({ home, host, ports: ports[place]!, voters, id: place + 1, clusterId, classPath }),
    ),
  );
  const cluster: Cluster = {
    brokers: [brokers[0]!, brokers[1]!, brokers[2]!],
    addresses: brokers.map(({ address }) => address),
    close: async () => {
      await Promise.all(brokers.map((broker) => broker.kill()));
      await rm(home, { recursive: true, force: true });
    },
  };
  try {
    await Promise.all(brokers.map((broker) => broker.start()));
    if (hosts.length === 0) await untilAllAreMembers(cluster.addresses);
    return cluster;
  } catch (error) {
    const outputs = await Promise.all(brokers.map((broker) => broker.output()));
    await cluster.close();
    throw new Error(`the brokers did not start\n${outputs.join('\n')}`, { cause: error });
  }
}

interface Ports {
  readonly client: number;
  readonly controller: number;
}

interface Plan {
  readonly home: string;
  readonly host: BrokerHost;
  readonly ports: Ports;
  readonly voters: string;
  readonly id: number;
  readonly clusterId: string;
  readonly classPath: string;
}

async function prepare(plan: Plan): Promise<Broker> {
  const { home, host, ports, id, clusterId, classPath } = plan;
  const folder = join(home, String(id));
  await mkdir(folder);
  const file = join(folder, 'server.properties');
  await writeFile(file, propertiesOf(plan, join(folder, 'data')));
  const format = (): Promise<string> =>
    java(classPath, [], ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', file]);
  await format();
  const outputFile = join(folder, 'output.txt');
  let child: ChildProcess | undefined;
  const send = (signal: NodeJS.Signals): void => void child?.kill(signal);
  const endWithUs = (): void => send('SIGKILL');
  process.once('exit', endWithUs);
  return {
    address: `${host.address}:${ports.client}`,
    pid: () => child?.pid ?? 0,
    kill: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      send('SIGKILL');
      await ended;
    },
    stop: () => send('SIGSTOP'),
    resume: () => send('SIGCONT'),
    start: async () => {
      const output = openSync(outputFile, 'a');
      const [command, ...rest] = [...host.enter, 'java', ...javaOptions, '-cp', classPath, 'kafka.Kafka', file];
      child = spawn(command, rest, { stdio: ['ignore', output, output] });
      try {
        await untilAccepting(child, { file, host, port: ports.client });
      } catch (cause) {
        throw new Error(`${String(cause)}\n${await newest(outputFile)}`, { cause });
      }
    },
    removeData: async () => {
      await rm(join(folder, 'data'), { recursive: true, force: true });
      await format();
    },
    output: () => newest(outputFile),
  };
}

async function newest(outputFile: string): Promise<string> {
  return (await readFile(outputFile, 'utf8').catch(() => '')).slice(-4_000);
}

/** Small heaps: three brokers fit beside a service and a database on two cores. */
const javaOptions = [
  '-Xms160m',
  '-Xmx160m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
];

function propertiesOf({ host, ports, voters, id }: Plan, dataFolder: string): string {
  const { address } = host;
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': id,
    'controller.quorum.voters': voters,
    listeners: `PLAINTEXT://${address}:${ports.client},CONTROLLER://${address}:${ports.controller}`,
    'advertised.listeners': `PLAINTEXT://${address}:${ports.client}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': dataFolder,
    'default.replication.factor': 3,
    'offsets.topic.replication.factor': 3,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 3,
    'transaction.state.log.min.isr': 2,
    'auto.create.topics.enable': false,
    'unclean.leader.election.enable': false,
    'log.retention.ms': -1,
    // With a heap this small a broker dies at its start without it.
    'log.cleaner.dedupe.buffer.size': 4_194_304,
    // A dead broker is noticed after this time.
    'broker.session.timeout.ms': 2_000,
    'broker.heartbeat.interval.ms': 500,
    'group.initial.rebalance.delay.ms': 0,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

async function untilAccepting(
  child: ChildProcess,
  { file, host, port }: { readonly file: string; readonly host: BrokerHost; readonly port: number },
): Promise<void> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the broker of ${file} ended`);
    const [command, ...rest] = [...host.enter, 'bash', '-c', `exec 3<>/dev/tcp/${host.address}/${port}`];
    const accepts = await run(command, rest).then(
      () => true,
      () => false,
    );
    if (accepts) return;
    await sleep(pollMs);
  }
  throw new Error(`the broker of ${file} accepts no connection`);
}

/** Waits until all brokers are members of the cluster. @throws if some are not after 120 s */
export async function untilAllAreMembers(addresses: readonly string[]): Promise<void> {
  const admin = new Admin({ clientId: 'ringfence-test', bootstrapBrokers: [...addresses], retries: 0 });
  const deadline = performance.now() + startTimeoutMs;
  try {
    while (performance.now() < deadline) {
      const known = await admin.metadata({ topics: [], forceUpdate: true }).catch(() => undefined);
      if (known?.brokers.size === addresses.length) return;
      await sleep(pollMs);
    }
    throw new Error('not all brokers became members of the cluster');
  } finally {
    await admin.close();
  }
}

async function portsOf({ enter }: BrokerHost): Promise<Ports> {
  // In a network namespace of its own every port is free.
  if (enter.length > 0) return { client: 9092, controller: 9093 };
  return { client: await freePort(), controller: await freePort() };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  server.close();
  await once(server, 'close');
  return port;
}

async function java(classPath: string, options: readonly string[], program: readonly string[]): Promise<string> {
  const { stdout } = await run('java', [...javaOptions, ...options, '-cp', classPath, ...program]);
  return stdout;
}

/** The folder of the jars: fetched once for a machine. */
async function jars(): Promise<string> {
  if (await exists(jarsFolder)) return jarsFolder;
  const pom = fileURLToPath(new URL('pom.xml', import.meta.url));
  const fetched = await mkdtemp(join(tmpdir(), 'ringfence-jars-'));
  const options = [`-Dkafka.version=${version}`, `-DoutputDirectory=${fetched}`, '-DincludeScope=runtime'];
  await run('mvn', ['-q', '-B', '-f', pom, 'dependency:copy-dependencies', ...options]);
  // Another process may have been faster.
  await rename(fetched, jarsFolder).catch(() => rm(fetched, { recursive: true, force: true }));
  return jarsFolder;
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
