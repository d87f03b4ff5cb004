import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { type LogBrokers, startLogBrokers } from './log-brokers.ts';
import type { StoreLie } from './lying-store.ts';
import { crashPolicy } from '../harness/bank.ts';
import { runCommand } from '../harness/command.ts';
import { eventually } from '../harness/eventually.ts';
import { type Disk, makeDisk } from '../harness/disk.ts';
import { makeClock } from '../harness/settable-clock.ts';
import { freePort } from '../harness/free-port.ts';
import { type InstallationPlan, writeInstallation } from '../harness/installation.ts';
import { Management } from '../harness/management.ts';
import { connectTo, connectToEmbedded, startPostgres } from '../harness/postgres.ts';
import { descendantsOf, killTree } from '../harness/process-tree.ts';
import { between, type Random } from '../harness/seeded-random.ts';
import { type Service, type ServiceOptions, startService } from '../harness/service.ts';

/**
 * What a run strikes: the service, one of two services, PostgreSQL, the power of the machine that runs both, or the
 * service's clock; and with the log's bytes in Kafka, a broker, or the state of PostgreSQL. The controls are a PostgreSQL
 * that acknowledges unwritten commits, and is killed or loses power; and a client of Kafka that confirms what only one
 * broker has, or what was not sent yet.
 */
export type Target =
  | 'service'
  | 'two'
  | 'postgres'
  | 'clock'
  | 'power'
  | 'control'
  | 'power-control'
  | 'broker-leader'
  | 'broker-follower'
  | 'rollback'
  | 'control-acks'
  | 'control-places';

/** Everything that runs for one target, and how to strike it. */
export interface System {
  readonly urls: readonly string[];
  /** The management API of a running service. */
  readonly management: Management;
  /** A direct connection to the database. The caller closes it. */
  connect(): Promise<Client>;
  /**
   * Kills the target and restarts what does not restart by itself.
   * @returns how long a restart took, if there was one
   */
  strike(random: Random): Promise<{ readonly startMs: number | undefined }>;
  /**
   * Ids of events that only the database had, because the store did not answer, and that it lost with its state. Absent:
   * none may be lost.
   */
  forgotten?(): ReadonlySet<string>;
  /**
   * Reads every record of the log and decides it again. Absent: not a promise of this target.
   *
   * @returns what is wrong; empty if nothing is
   */
  verify?(): Promise<string>;
  /** Whether deciding may stop at records that are lost. */
  readonly mayStop?: boolean;
  output(): string;
  stop(): Promise<void>;
}

export interface SystemPlan {
  readonly home: string;
  /** The service's own data, if they are not below `home`. */
  readonly stateFolder?: string;
  readonly logTopic?: NonNullable<InstallationPlan['logTopic']>;
  readonly webhookUrl: string;
  readonly licenseKey: string;
}

export const systems: Readonly<Record<Target, (plan: SystemPlan) => Promise<System>>> = {
  service: (plan) => startSingle(plan, restart),
  two: startTwo,
  postgres: (plan) => startSingle(plan, killDatabase),
  clock: startWithClock,
  power: (plan) => startOnDisk(plan),
  control: startControl,
  'power-control': (plan) => startOnDisk(plan, forgetfulness),
  'broker-leader': (plan) => startOnBrokers(plan, 'leader'),
  'broker-follower': (plan) => startOnBrokers(plan, 'follower'),
  rollback: startRolledBack,
  'control-acks': startWithOneReplica,
  'control-places': startWithEarlyPlaces,
};

interface Running {
  readonly service: Service;
  readonly again: () => Promise<Service>;
  readonly random: Random;
}

/** One service on its embedded database. */
async function startSingle(
  plan: SystemPlan,
  strike: (running: Running) => Promise<Service>,
  { env = {}, nodeArguments = [] }: Pick<ServiceOptions, 'env' | 'nodeArguments'> = {},
): Promise<System> {
  const options = { ...(await install(plan, 'one', env)), nodeArguments };
  let service = await startService(options);
  return {
    urls: [service.url],
    management: new Management(service.managementUrl),
    connect: () => connectToEmbedded(plan.stateFolder ?? join(plan.home, 'one', 'state')),
    strike: async (random) => {
      const before = service;
      service = await strike({ service, again: () => startService(options), random });
      return { startMs: service === before ? undefined : service.readyMs };
    },
    output: () => service.output(),
    stop: async () => void (await service.stop()),
  };
}

async function restart({ service, again }: Running): Promise<Service> {
  await service.kill();
  return untilStarted(again);
}

/**
 * Kills the postmaster and all its processes at once, so that none can flush or clean up. One time in three, one
 * hanging backend survives, as when it waits for another that is gone.
 */
async function killDatabase({ service, random }: Running): Promise<Service> {
  const [postmaster, ...backends] = descendantsOf(service.pid).filter(({ name }) => name === 'postgres');
  const hanging = between(random, 1, 3) === 1 ? backends[between(random, 0, backends.length - 1)] : undefined;
  if (hanging !== undefined) process.kill(hanging.pid, 'SIGSTOP');
  for (const killed of [postmaster, ...backends]) if (killed !== hanging) process.kill(killed!.pid, 'SIGKILL');
  return service;
}

/** How far the clock is set ahead of the machine's, s. */
const clockAhead = [3_600, -10_800, 288, -288, 0] as const;
/**
 * A start accepts the clock as it is: if it were further ahead than an action may wait, waiting actions would expire.
 */
const startsAheadMax = 288;
/** A clock that jumps back and forth: how often, and for how long. The process checks it once a second. */
const flips = 4;
const flipMs = 1_100;

/** One service whose clock is set forward, back, or back and forth; sometimes it is also killed. */
async function startWithClock(plan: SystemPlan): Promise<System> {
  const clock = await makeClock(plan.home);
  const strike = async ({ service, again, random }: Running): Promise<Service> => {
    const [ahead, other] = [between(random, 0, clockAhead.length - 1), between(random, 0, clockAhead.length - 1)];
    for (let flip = between(random, 1, 3) === 1 ? flips : 0; flip > 0; flip--) {
      await clock.set(clockAhead[flip % 2 === 0 ? ahead : other]!);
      await sleep(flipMs);
    }
    await clock.set(clockAhead[ahead]!);
    const isKilled = clockAhead[ahead]! <= startsAheadMax && between(random, 1, 3) === 1;
    return isKilled ? restart({ service, again, random }) : service;
  };
  return startSingle(plan, strike, clock);
}

/** Changes the database of a control, which must be durable when the service starts. */
interface Lie {
  /** @returns the database's data folder */
  begin(database: Client): Promise<string>;
  /** The database is down. */
  end(dataFolder: string): Promise<void>;
}

/**
 * A disk that loses power, with the data of a service, its secrets and its database. The operator's files are
 * elsewhere.
 */
async function startOnDisk(plan: SystemPlan, lie?: Lie): Promise<System> {
  const disk = await makeDisk('crash');
  const stateFolder = join(disk.path, 'state');
  let system: System | undefined;
  const stop = async (): Promise<void> => {
    await system?.stop();
    await disk.remove();
  };
  try {
    system = await startSingle({ ...plan, stateFolder }, async ({ service, again }) => {
      await losePower(disk, service);
      await lie?.end(dataFolder);
      const started = await again();
      await lie?.begin(await connectToEmbedded(stateFolder));
      return started;
    });
    const dataFolder = (await lie?.begin(await connectToEmbedded(stateFolder))) ?? '';
    return { ...system, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How long a broker hangs at most, ms: brokers elect another leader after 2 s. */
const hangsMsMax = 4_000;

/**
 * One service whose log has its bytes on three brokers. A broker is killed, or hangs for a while; one time in four the
 * service is killed as well, and one time in four its database.
 */
async function startOnBrokers(plan: SystemPlan, which: 'leader' | 'follower'): Promise<System> {
  const brokers = await startLogBrokers();
  const strike = async (running: Running): Promise<Service> => {
    const { random } = running;
    const broker = await brokers.find(which);
    if (between(random, 0, 1) === 1) {
      broker.stop();
      setTimeout(() => broker.resume(), between(random, 500, hangsMsMax));
    } else {
      await broker.kill();
      // The run may end before it is up.
      broker.start().catch(() => {});
    }
    const also = between(random, 1, 4);
    if (also === 1) return restart(running);
    return also === 2 ? killDatabase(running) : running.service;
  };
  return onBrokers(plan, brokers, () => startSingle({ ...plan, logTopic: brokers.topic }, strike));
}

const run = promisify(execFile);
/** How much of its history the database loses, ms. */
const rolledBackMs = 10_000;
const startsMax = 3;

/**
 * One service whose log has its bytes on three brokers. Its database is put back to a copy that is older than what was
 * acknowledged since, and recovers on a new timeline, as after a restore.
 */
async function startRolledBack(plan: SystemPlan): Promise<System> {
  const brokers = await startLogBrokers();
  const stateFolder = join(plan.home, 'one', 'state');
  const forgotten = new Set<string>();
  const strike = async ({ service, again }: Running): Promise<Service> => {
    const { folder, unplaced: kept } = await killWithDatabase(service, stateFolder);
    const copy = `${folder}-copy`;
    // With the owner of every file: the server doesn't run as root.
    await run('cp', ['-a', folder, copy]);
    const rolledBack = await untilStarted(again);
    await sleep(rolledBackMs);
    const { unplaced } = await killWithDatabase(rolledBack, stateFolder);
    for (const id of unplaced) if (!kept.has(id)) forgotten.add(id);
    await rm(folder, { recursive: true });
    await rename(copy, folder);
    await writeFile(join(folder, 'recovery.signal'), '');
    await appendFile(join(folder, 'postgresql.auto.conf'), "restore_command = 'false'\n");
    return untilStarted(again);
  };
  const start = (): Promise<System> => startSingle({ ...plan, logTopic: brokers.topic }, strike);
  return { ...(await onBrokers(plan, brokers, start)), forgotten: () => forgotten };
}

/** As a service manager: a start that ends early on a busy machine is tried again. */
async function untilStarted<Started>(start: () => Promise<Started>): Promise<Started> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      if (tries === startsMax) throw error;
    }
  }
}

/**
 * Kills a service and its embedded database at once.
 *
 * @returns the database's data folder, and the ids of the events that only the database has
 */
async function killWithDatabase(
  service: Service,
  stateFolder: string,
): Promise<{ readonly folder: string; readonly unplaced: ReadonlySet<string> }> {
  const database = await connectToEmbedded(stateFolder);
  // From here on nothing is acknowledged, so the answer has all that was.
  process.kill(service.pid, 'SIGSTOP');
  const { rows } = await database.query<{ readonly folder: string; readonly ids: readonly string[] }>(
    `SELECT current_setting('data_directory') AS folder,
            coalesce((SELECT array_agg('evt_' || epoch || '_' || "offset") FROM log_record
               WHERE kind IN ('login', 'logout', 'operation')), '{}') AS ids`,
  );
  killTree(service.pid);
  await service.kill();
  await database.end().catch(() => {});
  const { folder, ids } = rows[0]!;
  return { folder, unplaced: new Set(ids) };
}

/**
 * A control: Kafka confirms what only the leader has. The others hang, and when some such records are in the log, the
 * leader is lost with its data.
 */
async function startWithOneReplica(plan: SystemPlan): Promise<System> {
  const brokers = await startLogBrokers();
  const strike = async ({ service }: Running): Promise<Service> => {
    const leader = await brokers.find('leader');
    const others = brokers.brokers.filter((broker) => broker !== leader);
    const database = await connectToEmbedded(join(plan.home, 'one', 'state'));
    for (const broker of others) broker.stop();
    const before = await placedBlocks(database);
    await eventually('records are placed', placedMsMax, async () =>
      (await placedBlocks(database)) >= before + placedMin ? true : undefined,
    );
    await database.end();
    await leader.kill();
    await leader.removeData();
    for (const broker of others) broker.resume();
    await untilStarted(() => leader.start()); // one that finds its data gone may end once more
    return service;
  };
  return withLie(plan, brokers, { lie: 'acks', strike });
}

const placedMin = 10;
const placedMsMax = 60_000;

async function placedBlocks(database: Client): Promise<number> {
  const { rows } = await database.query<{ readonly blocks: string }>(
    `SELECT count(*) AS blocks FROM log_block WHERE get_byte(frames, 0) = 255`,
  );
  return Number(rows[0]!.blocks);
}

/** A control: places are in the database before their bytes were sent, and the service is killed. */
async function startWithEarlyPlaces(plan: SystemPlan): Promise<System> {
  const brokers = await startLogBrokers();
  return withLie(plan, brokers, { lie: 'places', strike: restart });
}

async function withLie(
  plan: SystemPlan,
  brokers: LogBrokers,
  { lie, strike }: { readonly lie: StoreLie['CRASH_STORE_LIE']; readonly strike: (of: Running) => Promise<Service> },
): Promise<System> {
  const { topic } = brokers;
  const env = { CRASH_STORE_LIE: lie, CRASH_STORE_BROKERS: topic.brokers.join(','), CRASH_STORE_TOPIC: topic.topic };
  const nodeArguments = ['--import', new URL('lying-store.ts', import.meta.url).href];
  const start = (): Promise<System> =>
    startSingle({ ...plan, logTopic: topic }, strike, { env: env satisfies StoreLie, nodeArguments });
  return { ...(await onBrokers(plan, brokers, start)), mayStop: true };
}

const verifyMsMax = 180_000;

async function onBrokers(plan: SystemPlan, brokers: LogBrokers, start: () => Promise<System>): Promise<System> {
  try {
    const system = await start();
    const stop = async (): Promise<void> => {
      await system.stop();
      await brokers.close();
    };
    const verify = async (): Promise<string> => {
      const configFile = join(plan.home, 'one', 'ringfence.yaml');
      const { code, stdout, stderr } = await runCommand(
        ['replay', '--verify', '--config', configFile],
        {},
        verifyMsMax,
      );
      return code === 0 ? '' : `${stdout}${stderr}`;
    };
    return { ...system, stop, verify };
  } catch (error) {
    await brokers.close();
    throw error;
  }
}

/** The power of the machine; the bank runs on another one. */
async function losePower(disk: Disk, service: Service): Promise<void> {
  await disk.cutPower();
  killTree(service.pid);
  await service.kill();
  await disk.restorePower();
}

/** Two services on one database; one of them is killed and restarted. */
async function startTwo(plan: SystemPlan): Promise<System> {
  const postgres = await startPostgres(plan.home);
  const env = { DATABASE_URL: postgres.databaseUrl, RINGFENCE_MASTER_KEY: randomBytes(32).toString('base64') };
  const options = [await install(plan, 'one', env), await install(plan, 'two', env)];
  const services: Service[] = [];
  for (const option of options) services.push(await startService(option));
  return {
    urls: services.map(({ url }) => url),
    management: new Management(services[0]?.managementUrl ?? ''),
    connect: () => connectTo(postgres.databaseUrl),
    strike: async (random) => {
      const chosen = between(random, 0, 1);
      await services[chosen]?.kill();
      const started = await startService(options[chosen] as ServiceOptions);
      services[chosen] = started;
      return { startMs: started.readyMs };
    },
    output: () => services.map((service) => service.output()).join('\n'),
    stop: async () => {
      for (const service of services) await service.stop();
      await postgres.stop();
    },
  };
}

/**
 * The negative control: a PostgreSQL that acknowledges unwritten commits. The service refuses to start on such a
 * database and requests durable commits in every session, so the running database is changed in a way that only this
 * harness knows.
 */
async function startControl(plan: SystemPlan): Promise<System> {
  const postgres = await startPostgres(plan.home);
  const env = { DATABASE_URL: postgres.databaseUrl, RINGFENCE_MASTER_KEY: randomBytes(32).toString('base64') };
  const service = await startService(await install(plan, 'one', env));
  await makeForgetful(await connectTo(postgres.databaseUrl));
  return {
    urls: [service.url],
    management: new Management(service.managementUrl),
    connect: () => connectTo(postgres.databaseUrl),
    strike: async () => {
      postgres.kill();
      return { startMs: undefined };
    },
    output: () => service.output(),
    stop: async () => {
      await service.kill();
      await postgres.stop();
    },
  };
}

/**
 * From now on commits are acknowledged before they are written. Appends request durable commits in their own session,
 * but every append updates the head of its partition, where a trigger overrides this for the transaction.
 */
async function makeForgetful(client: Client): Promise<void> {
  await client.query('ALTER SYSTEM SET synchronous_commit = off');
  await client.query("ALTER SYSTEM SET wal_writer_delay = '10s'");
  await client.query('SELECT pg_reload_conf()');
  await client.query(`CREATE OR REPLACE FUNCTION forget() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM set_config('synchronous_commit', 'off', true); RETURN NULL; END $$`);
  await client.query(
    'CREATE OR REPLACE TRIGGER forget AFTER UPDATE ON log_partition FOR EACH STATEMENT EXECUTE FUNCTION forget()',
  );
  await client.end();
}

const forgetfulness: Lie = {
  begin: async (database) => {
    const { rows } = await database.query<{ readonly folder: string }>(
      `SELECT current_setting('data_directory') AS folder`,
    );
    await makeForgetful(database);
    return rows[0]!.folder;
  },
  end: (dataFolder) => writeFile(join(dataFolder, 'postgresql.auto.conf'), ''),
};

async function install(plan: SystemPlan, name: string, env: Readonly<Record<string, string>>): Promise<ServiceOptions> {
  const [port, managementPort] = [await freePort(), await freePort()];
  const configFile = await writeInstallation({
    ...plan,
    home: join(plan.home, name),
    database: 'DATABASE_URL' in env ? 'external' : 'embedded',
    port,
    managementPort,
    policy: crashPolicy,
  });
  return { configFile, port, managementPort, env };
}
