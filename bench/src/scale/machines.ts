import { dayMs, secondMs } from '@ringfence/contract';

/** What one event costs, as measured. */
export interface Costs {
  /** Processor time of the service, and of PostgreSQL. */
  readonly serviceUs: number;
  readonly databaseUs: number;
  /** What a service reads and writes: from its callers, to and from the database. */
  readonly networkBytes: number;
}

/** What is assumed, because it depends on the bank or on the machines that it buys. */
export const assumed = {
  /** The busiest moments, in times of the average. */
  peakFactor: 3,
  /** Beyond it, latency grows. */
  busyShareMax: 0.6,
  /** In the database and of its write-ahead log for an event: docs/reference/sizing.md. */
  databaseBytes: 2_430,
  walBytes: 3_300,
  /** Room for ranges that are not full yet, and for cleaning up. */
  diskFactor: 1.3,
  /** What the loop of one workspace decides, on the measured machine (docs/performance.md). */
  workspacePerSecondMax: 6_500,
  serviceCores: 16,
  databaseCores: 32,
  /** NVMe of one database, without RAID's copies. */
  diskBytesMax: 60e12,
  /** Of one database, and of the standby that follows it. */
  walBytesPerSecondMax: 200e6,
  /** One port of 10 Gbit/s. */
  networkBytesPerSecondMax: 1.25e9,
  /** Of the log for an event, in Kafka; copies; what a broker writes. */
  logBytes: 1_010,
  copies: 3,
  brokerBytesPerSecondMax: 200e6,
};

export type Binding = 'processor' | 'write-ahead log' | 'disk';

export interface Machines {
  readonly averagePerSecond: number;
  /** At least, because one workspace is decided by one thread. */
  readonly workspaces: number;
  readonly services: {
    readonly cores: number;
    /** With a spare one. */
    readonly machines: number;
    /** Of each, at the busiest moment. */
    readonly networkBytesPerSecond: number;
  };
  readonly databases: {
    readonly count: number;
    /** Each with a standby. */
    readonly machines: number;
    readonly cores: number;
    /** What the count follows from. */
    readonly binding: Binding;
    readonly neededFor: Readonly<Record<Binding, number>>;
    readonly bytesADay: number;
    /** Of each. */
    readonly diskBytes: number;
    readonly walBytesPerSecond: number;
  };
  /** Only with Kafka under the log. */
  readonly brokers: { readonly machines: number; readonly bytesPerSecond: number; readonly diskBytes: number };
}

/**
 * The machines for a rate at the busiest moment.
 * @param keepDays how long events are kept
 */
export function machinesFor(peakPerSecond: number, costs: Costs, keepDays: number): Machines {
  const { serviceCores, databaseCores, brokerBytesPerSecondMax, copies, logBytes } = assumed;
  const averagePerSecond = peakPerSecond / assumed.peakFactor;
  const aDay = averagePerSecond * (dayMs / secondMs);
  const coresFor = (us: number): number => (peakPerSecond * us) / 1e6 / assumed.busyShareMax;
  const service = { cores: coresFor(costs.serviceUs), network: peakPerSecond * costs.networkBytes };
  const serviceMachines =
    Math.ceil(
      Math.max(service.cores / serviceCores, service.network / assumed.networkBytesPerSecondMax / assumed.busyShareMax),
    ) + 1;
  const cores = coresFor(costs.databaseUs);
  const bytesADay = aDay * assumed.databaseBytes * assumed.diskFactor;
  const neededFor = {
    processor: cores / databaseCores,
    'write-ahead log': (peakPerSecond * assumed.walBytes) / assumed.walBytesPerSecondMax,
    disk: (bytesADay * keepDays) / assumed.diskBytesMax,
  };
  const [binding, needed] = (Object.entries(neededFor) as [Binding, number][]).toSorted(([, a], [, b]) => b - a)[0]!;
  const count = Math.ceil(needed);
  const logBytesPerSecond = peakPerSecond * logBytes * copies;
  const logBytesKept = aDay * keepDays * logBytes * copies;
  const brokers = Math.max(
    copies,
    Math.ceil(logBytesPerSecond / brokerBytesPerSecondMax / assumed.busyShareMax),
    Math.ceil(logBytesKept / assumed.diskBytesMax),
  );
  return {
    averagePerSecond,
    workspaces: Math.ceil(peakPerSecond / assumed.workspacePerSecondMax),
    services: {
      cores: Math.ceil(service.cores),
      machines: serviceMachines,
      networkBytesPerSecond: service.network / (serviceMachines - 1),
    },
    databases: {
      count,
      machines: 2 * count,
      cores: Math.ceil(cores),
      binding,
      neededFor,
      bytesADay,
      diskBytes: (bytesADay * keepDays) / count,
      walBytesPerSecond: (peakPerSecond * assumed.walBytes) / count,
    },
    brokers: { machines: brokers, bytesPerSecond: logBytesPerSecond / brokers, diskBytes: logBytesKept / brokers },
  };
}
