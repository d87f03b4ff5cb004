import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Pool } from 'pg';
import type { Broker } from '../../tools/testing/kafka/brokers.ts';
import { type LogBrokers, startLogBrokers } from '../crash/log-brokers.ts';
import { crashPolicy } from '../harness/bank.ts';
import { type InstallationPlan, writeInstallation } from '../harness/installation.ts';
import { Management } from '../harness/management.ts';
import { descendantsOf } from '../harness/process-tree.ts';
import { type Service, type ServiceOptions, startService } from '../harness/service.ts';
import { temporaryHome } from '../harness/temporary-home.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';
import { makeNetwork, type Network } from './network.ts';

/** A machine with one service. */
export interface Host {
  readonly name: string;
  /** The one that runs now, or ran last. */
  readonly service: Service;
  readonly management: Management;
  /** The one beside it; `undefined` without Kafka. */
  readonly broker: Broker | undefined;
  /** After the service has ended: starts it again. @param program of another checkout; by default the last one */
  start(program?: string): Promise<void>;
}

/** Three hosts with a service each, a fourth with their database, and the bank outside. */
export interface Hosts {
  readonly network: Network;
  readonly services: readonly Host[];
  readonly receiver: WebhookReceiver;
  /** Where the bytes of the log are; `undefined`: in the database. */
  readonly brokers: LogBrokers | undefined;
  /** Over a path that no fault of the network touches. A query fails after 2 s. */
  readonly database: Pool;
  /** Stops every process of the database in the middle of what it does, or resumes them. The system goes on. */
  readonly signalDatabase: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  close(): Promise<void>;
}

export const licenseKey = `hosts-license-key-${'0'.repeat(32)}`;
export const databaseHost = 'db';
const serviceNames = ['a', 'b', 'c'] as const;
type HostName = (typeof serviceNames)[number];
const ports = { port: 8080, managementPort: 8081 };
const addresses = '10.77.113.0/24';
const queryMsMax = 2_000;
const stopMsMax = 8_000;

export interface HostsPlan {
  /** Of another checkout, on all hosts. */
  readonly program?: string;
  /** Each host has a broker beside its service. The broker beside the first service leads the topic. */
  readonly withBrokers?: boolean;
}

export async function openHosts({ program, withBrokers = false }: HostsPlan = {}): Promise<Hosts> {
  const network = await makeNetwork([...serviceNames, databaseHost]);
  const home = await temporaryHome('hosts');
  const removeAtExit = (): void => rmSync(home.path, { recursive: true, force: true, maxRetries: 3 });
  process.once('exit', removeAtExit);
  const receiver = await startWebhookReceiver(undefined, undefined, network.outside);
  const cleanUp: (() => Promise<unknown>)[] = [
    () => home.remove().then(() => process.off('exit', removeAtExit)),
    () => receiver.close(),
    async () => network.close(),
  ];
  const close = async (): Promise<void> => {
    const failed: unknown[] = [];
    // Whatever one step meets, the others follow.
    for (const step of cleanUp.splice(0).reverse()) await step().catch((error: unknown) => failed.push(error));
    if (failed.length > 0) throw new AggregateError(failed, 'not everything was removed');
  };
  try {
    const server = await startDatabase(network, home.path);
    cleanUp.push(() => Promise.race([server.stop(), sleep(stopMsMax, undefined, { ref: false })]));
    const database = new Pool({ connectionString: server.localUrl, max: 4, query_timeout: queryMsMax });
    database.on('error', () => {});
    cleanUp.push(() => database.end());
    const brokers = withBrokers ? await startOnHosts(network) : undefined;
    if (brokers !== undefined) cleanUp.push(() => brokers.close());
    const env = { DATABASE_URL: server.databaseUrl, RINGFENCE_MASTER_KEY: randomBytes(32).toString('base64') };
    const start = async (name: HostName): Promise<Host> => {
      const address = network.address(name);
      const logTopic = brokers && { logTopic: brokers.topic };
      const configFile = await install({ home: join(home.path, name), address, webhookUrl: receiver.url, ...logTopic });
      const enter = network.enter(name);
      const options = { ...ports, configFile, env, address, enter, ...(program && { program }) };
      return startHost({ name, broker: brokers?.brokers[serviceNames.indexOf(name)] }, options);
    };
    const leader = await brokers?.find('leader');
    const place = leader === undefined ? 0 : brokers!.brokers.indexOf(leader);
    const [firstName] = serviceNames.slice(place) as [HostName];
    // The first one creates the tables, and decides.
    const first = await start(firstName);
    const others = serviceNames.filter((name) => name !== firstName);
    const services = [first, ...(await Promise.all(others.map(start)))];
    cleanUp.push(() => Promise.all(services.map(({ service }) => service.stop())));
    cleanUp.push(() => network.heal());
    return { network, services, receiver, brokers, database, signalDatabase: server.signal, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function startOnHosts(network: Network): Promise<LogBrokers> {
  const hosts = serviceNames.map((name) => ({ address: network.address(name), enter: network.enter(name) }));
  return startLogBrokers({}, hosts);
}

async function startHost(of: Pick<Host, 'name' | 'broker'>, first: ServiceOptions): Promise<Host> {
  let options = first;
  let service = await startService(options);
  return {
    ...of,
    get service() {
      return service;
    },
    management: new Management(service.managementUrl),
    start: async (program) => {
      options = { ...options, ...(program !== undefined && { program }) };
      service = await startService(options);
    },
  };
}

async function install(
  plan: Pick<InstallationPlan, 'home' | 'webhookUrl' | 'logTopic'> & { readonly address: string },
): Promise<string> {
  await mkdir(plan.home, { recursive: true });
  return writeInstallation({
    ...plan,
    database: 'external',
    ...ports,
    licenseKey,
    webhookNetwork: addresses,
    stopDelaySeconds: 2,
    policy: crashPolicy,
  });
}

interface DatabaseServer {
  readonly databaseUrl: string;
  readonly localUrl: string;
  readonly signal: (signal: 'SIGSTOP' | 'SIGCONT') => void;
  stop(): Promise<void>;
}

async function startDatabase(network: Network, home: string): Promise<DatabaseServer> {
  const program = fileURLToPath(new URL('database-host.ts', import.meta.url));
  const [command, ...words] = [...network.enter(databaseHost), process.execPath, program];
  const child = spawn(command, [...words, home, network.address(databaseHost), addresses], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => Promise.reject(new Error(`the database host ended with ${code}`)));
  const urls = JSON.parse(await Promise.race([firstLine(child), failed])) as Pick<
    DatabaseServer,
    'databaseUrl' | 'localUrl'
  >;
  failed.catch(() => {});
  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    for (const { pid } of descendantsOf(child.pid!).filter((entry) => entry.name === 'postgres')) sendSignal(pid, name);
  };
  return {
    ...urls,
    signal,
    stop: async () => {
      signal('SIGCONT');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // A connection's process ended since the list was made.
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout!) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0]!;
}
