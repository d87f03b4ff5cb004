import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  connectTo,
  eventually,
  freePort,
  type Service,
  type ServiceOptions,
  type StandalonePostgres,
  startPostgres,
  startService,
  temporaryHome,
  writeInstallation,
} from '@ringfence/e2e';
import type { Client } from 'pg';
import { benchPolicy } from '../product/bench-policy.ts';
import type { LogTopic, LogTopics } from './log-topics.ts';
import { QuotaGroup } from './quota.ts';

export interface SitePlan {
  /** Processes, and as many workspaces. */
  readonly processes: number;
  /** Databases that the workspaces are spread over evenly. */
  readonly databases: number;
  readonly webhookUrl: string;
  /** Keeps the bytes of each log in Kafka. */
  readonly logTopics?: LogTopics | undefined;
}

/** A database with the processes that decide its workspaces. */
export interface SiteDatabase {
  readonly client: Client;
  readonly services: readonly Service[];
  /** A key for each workspace. */
  readonly licenseKeys: readonly string[];
}

/** Several `serve` processes, each with its share of processor time, and PostgreSQL with its share. */
export interface Site {
  readonly databases: readonly SiteDatabase[];
  /** Of all processes, and of all databases. */
  readonly quotas: { readonly services: Quotas; readonly databases: Quotas };
  readonly logTopics: LogTopics | undefined;
  /** Stops all of it where it is, or lets it go on; then it needs some seconds until it decides. */
  freeze(isFrozen: boolean): void;
  stop(): Promise<void>;
}

/** Groups that each get the same. */
export interface Quotas {
  /** @param cores of each; `undefined`: as much as the machine has */
  limit(cores: number | undefined): Promise<void>;
  /** Processor time of all of them. */
  usedMs(): Promise<number>;
}

/** Some rules close sessions: their later operations would wait for a new login. */
const sessionGraceSeconds = 0;
/** Processes share workspaces by looks every few seconds. */
const sharedWithinMs = 60_000;

/**
 * Starts the processes and their databases, without limits. Each database is an installation of its own.
 *
 * @returns when every process decides one workspace
 */
export async function startSite({ processes, databases, webhookUrl, logTopics }: SitePlan): Promise<Site> {
  const home = await temporaryHome('scale');
  const servers: StandalonePostgres[] = [];
  const started: SiteDatabase[] = [];
  const groups = { services: [] as QuotaGroup[], databases: [] as QuotaGroup[] };
  const stop = async (): Promise<void> => {
    for (const { client, services } of started) {
      await Promise.all(services.map((service) => service.stop()));
      await client.end();
    }
    for (const server of servers) await server.stop();
    for (const group of [...groups.services, ...groups.databases]) await group.remove();
    await home.remove();
  };
  const inGroup = async (pid: number, among: QuotaGroup[]): Promise<void> => {
    const group = await QuotaGroup.make('most');
    among.push(group);
    await group.take(pid);
  };
  try {
    for (let at = 0; at < databases; at++) {
      const folder = join(home.path, `database-${at}`);
      await mkdir(folder);
      const server = await startPostgres(folder);
      servers.push(server);
      await inGroup(server.pid, groups.databases);
      const client = await connectTo(server.databaseUrl);
      const licenseKeys = keysFor(processes / databases);
      const services: Service[] = [];
      const database = { client, licenseKeys, services };
      started.push(database);
      const env = { DATABASE_URL: server.databaseUrl, RINGFENCE_MASTER_KEY: randomBytes(32).toString('base64') };
      const logTopic = await logTopics?.make();
      const start = async (place: number): Promise<void> => {
        const process = join(folder, `process-${place}`);
        await mkdir(process);
        const service = await startService({ ...(await install(process, { licenseKeys, webhookUrl, logTopic })), env });
        services.push(service);
        await inGroup(service.pid, groups.services);
      };
      // The first one makes the tables.
      await start(0);
      await Promise.all(licenseKeys.slice(1).map((_, place) => start(place + 1)));
      await owners(database);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    databases: started,
    quotas: { services: quotasOf(groups.services), databases: quotasOf(groups.databases) },
    logTopics,
    freeze: (isFrozen) => {
      const [services, databases] = [groups.services, groups.databases];
      // A database is there as long as its services are.
      for (const group of isFrozen ? [...services, ...databases] : [...databases, ...services]) group.freeze(isFrozen);
    },
    stop,
  };
}

function workspaceName(at: number): string {
  return at === 0 ? 'bank' : `bank-${at}`;
}

function keysFor(workspaces: number): readonly string[] {
  return Array.from({ length: workspaces }, (_, at) => `bench-license-key-${at}-${'0'.repeat(32)}`);
}

async function install(
  home: string,
  {
    licenseKeys,
    webhookUrl,
    logTopic,
  }: { readonly licenseKeys: readonly string[]; readonly webhookUrl: string; readonly logTopic: LogTopic | undefined },
): Promise<Omit<ServiceOptions, 'env'>> {
  const [port, managementPort] = [await freePort(), await freePort()];
  const [licenseKey = '', ...others] = licenseKeys;
  const further = others.map((licenseKey, at) => ({ name: workspaceName(at + 1), licenseKey }));
  const plan = {
    home,
    database: 'external',
    port,
    managementPort,
    licenseKey,
    further,
    webhookUrl,
    policy: await benchPolicy(),
    sessionGraceSeconds,
    ...(logTopic === undefined ? {} : { logTopic }),
  } as const;
  return { configFile: await writeInstallation(plan), port, managementPort };
}

/**
 * Resolves when each process decides one workspace.
 * @returns the process of each license key, in order
 */
export function owners(database: SiteDatabase): Promise<readonly Service[]> {
  return eventually('each process decides one workspace', sharedWithinMs, async () => {
    const { rows } = await database.client.query<{ name: string; process: string }>(
      'select w.name, o.process from partition_owner o join workspace w on w.id = o.workspace_id',
    );
    const found = database.licenseKeys.map((_, at) => {
      const pid = Number(rows.find(({ name }) => name === workspaceName(at))?.process.split(':')[1]);
      return database.services.find((service) => service.pid === pid);
    });
    const known = found.filter((service) => service !== undefined);
    return new Set(known).size === database.services.length ? known : undefined;
  });
}

function quotasOf(groups: readonly QuotaGroup[]): Quotas {
  return {
    limit: async (cores) => {
      for (const group of groups) await group.limit(cores);
    },
    usedMs: async () => {
      const used = await Promise.all(groups.map((group) => group.usedMs()));
      return used.reduce((sum, ms) => sum + ms, 0);
    },
  };
}
