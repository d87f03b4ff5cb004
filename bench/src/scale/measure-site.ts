import { readFile } from 'node:fs/promises';
import { setTimeout as after } from 'node:timers/promises';
import { eventually } from '@ringfence/e2e';
import { notAccepted, planOf } from '../flow/stage.ts';
import { lagOf } from '../flow/throughput.ts';
import type { LoadPlan } from '../load/generate.ts';
import { runLoads } from '../load/run-load.ts';
import { owners, type Site } from './site.ts';

export interface Grant {
  /** Processor time of one process, and of its share of PostgreSQL, in cores. */
  readonly serviceCores: number;
  readonly databaseCores: number;
  /** Of the measured load. */
  readonly seconds: number;
  /** For each workspace. */
  readonly connections: number;
  /**
   * Whether every process of a database takes events of each of its workspaces, as behind a load balancer that knows
   * nothing of workspaces. Otherwise they come to the process that decides them.
   */
  readonly isSpread: boolean;
}

export interface SiteFigures {
  /** Events decided per second, until the last one was. */
  readonly perSecond: number;
  readonly events: number;
  /** Processor time for an event, idle time included. */
  readonly serviceUs: number;
  readonly databaseUs: number;
  /** Of the brokers, which have no limit; 0 without Kafka. */
  readonly brokersUs: number;
  /** Share of the grant that is used without events. */
  readonly idleShare: number;
  /** Shares of both grants that were used. */
  readonly usedByServices: number;
  readonly usedByDatabases: number;
  /** Read and written by the services, for an event. */
  readonly networkBytes: number;
  /** Responses other than 200. */
  readonly failed: number;
}

/** Concurrent visits for each connection: the login of a visit is answered before its first payment is sent. */
const visitsEach = 1.5;
/**
 * Five of the eight operations of a visit are payments; loads have their own clients, and each client its own payee.
 * With more, or with common clients or payees, more rules of the starter policy fire as time passes or with more
 * processes, and an event would cost more in one turn than in another.
 */
const trafficEach = { payments: 5, clients: 2_000, markEvery: 0 };
/** At most four processes take the events of four workspaces. */
const runsEach = 16;
/** Processor time that code needs until it is compiled is not the event's: several seconds of each process. */
const warmUpSecondsEach = 4;
/** Nor is that of a process that was frozen: its memory is fetched again, and its workspace is taken over. */
const thaw = { seconds: 2, ratePerSecond: 150 };
/** Without limits, all work that follows the last decision is done by then. */
const settleMs = 3_000;
const idleSeconds = 2;
const drainedWithinMs = 120_000;
const lookEveryMs = 200;

/** Lets the code of every process be compiled, without limits. */
export async function warmUp(site: Site, { connections }: Pick<Grant, 'connections'>): Promise<void> {
  const seconds = warmUpSecondsEach * unitsOf(site);
  await runLoads(await plansOf(site, { connections, seconds, isSpread: true, run: 0 }));
  await drained(site);
}

/** What a site decides with a fixed grant of processor time. The load and this process are outside of it. */
export async function measureSite(site: Site, grant: Grant & { readonly run: number }): Promise<SiteFigures> {
  const { services, databases } = site.quotas;
  const units = unitsOf(site);
  await runLoads(
    await plansOf(site, { ...grant, seconds: thaw.seconds, rate: thaw.ratePerSecond, run: 2 * grant.run }),
  );
  await drained(site);
  await after(settleMs);
  const plans = await plansOf(site, { ...grant, run: 2 * grant.run + 1 });
  await services.limit(grant.serviceCores);
  await databases.limit((grant.databaseCores * units) / site.databases.length);
  try {
    const idle = await usedWhile(site, () => after(idleSeconds * 1_000));
    const network = await networkBytesOf(site);
    const whole = await usedWhile(site, async () => {
      const used = await usedWhile(site, async () => {
        const loads = await runLoads(plans);
        await drained(site);
        return loads;
      });
      // Some work follows the decision: what the console finds it by, and the last checkpoint.
      await after(settleMs);
      return used;
    });
    const { result: loads, seconds } = whole.result;
    const events = loads.reduce((sum, load) => sum + load.sent, 0);
    const [idleService, idleDatabase] = [idle.servicesMs / idle.seconds, idle.databasesMs / idle.seconds];
    const servicesMs = whole.servicesMs - (idleService * settleMs) / 1_000;
    const databasesMs = whole.databasesMs - (idleDatabase * settleMs) / 1_000;
    return {
      perSecond: events / seconds,
      events,
      serviceUs: (servicesMs * 1_000) / events,
      databaseUs: (databasesMs * 1_000) / events,
      brokersUs: (whole.result.brokersMs * 1_000) / events,
      idleShare: (idleService + idleDatabase) / 1_000 / units / (grant.serviceCores + grant.databaseCores),
      usedByServices: whole.result.servicesMs / 1_000 / seconds / units / grant.serviceCores,
      usedByDatabases: whole.result.databasesMs / 1_000 / seconds / units / grant.databaseCores,
      failed: loads.reduce((sum, load) => sum + notAccepted(load), 0),
      networkBytes: ((await networkBytesOf(site)) - network) / events,
    };
  } finally {
    await services.limit(undefined);
    await databases.limit(undefined);
  }
}

async function plansOf(
  site: Site,
  {
    connections,
    seconds,
    isSpread,
    run,
    rate,
  }: Pick<Grant, 'connections' | 'seconds' | 'isSpread'> & {
    readonly run: number;
    /** Per second, of each workspace; otherwise as fast as they are answered. */
    readonly rate?: number;
  },
): Promise<readonly LoadPlan[]> {
  const plans: LoadPlan[] = [];
  for (const database of site.databases) {
    const own = await owners(database);
    for (const [at, licenseKey] of database.licenseKeys.entries()) {
      const doors = isSpread ? database.services : [own[at]!];
      const share = connections / doors.length;
      const load = {
        connections: Math.round(share),
        seconds,
        width: Math.ceil(visitsEach * share),
        rate: rate === undefined ? ('closed' as const) : rate / doors.length,
      };
      for (const { url } of doors) {
        const place = run * runsEach + plans.length;
        const traffic = { ...trafficEach, firstClient: place * trafficEach.clients };
        const product = { port: Number(new URL(url).port), licenseKey };
        plans.push(planOf(product, { ...traffic, ...load, run: place }));
      }
    }
  }
  return plans;
}

async function drained({ databases }: Site): Promise<void> {
  for (const { client } of databases) {
    await eventually('all is decided', drainedWithinMs, async () => {
      if ((await lagOf(client)) === 0) return true;
      await after(lookEveryMs);
      return undefined;
    });
  }
}

function unitsOf({ databases }: Site): number {
  return databases.reduce((sum, { services }) => sum + services.length, 0);
}

interface UsedTime<Result> {
  readonly result: Result;
  readonly seconds: number;
  readonly servicesMs: number;
  readonly databasesMs: number;
  readonly brokersMs: number;
}

async function usedWhile<Result>({ quotas, logTopics }: Site, work: () => Promise<Result>): Promise<UsedTime<Result>> {
  const used = (): Promise<readonly [number, number, number]> =>
    Promise.all([quotas.services.usedMs(), quotas.databases.usedMs(), logTopics?.usedMs() ?? 0]);
  const [before, begunMs] = [await used(), performance.now()];
  const result = await work();
  const [now, seconds] = [await used(), (performance.now() - begunMs) / 1_000];
  return {
    result,
    seconds,
    servicesMs: now[0] - before[0],
    databasesMs: now[1] - before[1],
    brokersMs: now[2] - before[2],
  };
}

/** What the services read and wrote, mostly from and to sockets. */
async function networkBytesOf({ databases }: Site): Promise<number> {
  let bytes = 0;
  for (const { pid } of databases.flatMap(({ services }) => services)) {
    for (const [, count] of (await readFile(`/proc/${pid}/io`, 'latin1')).matchAll(/^[rw]char: (\d+)$/gm))
      bytes += Number(count);
  }
  return bytes;
}
