/**
 * What an installation needs, calculated from measurements. The page docs/reference/sizing.md is generated from the same
 * figures.
 */
import { dayMs, secondMs } from '@ringfence/contract';
import { counted, grouped, table } from './print.ts';

/**
 * Measured for a payment with every member, of everything: taken, decided by the starter policy, stored, shown. On two
 * cores of a shared server in a slow hour, with the service, the embedded PostgreSQL and their load on the same machine
 * (docs/performance.md).
 */
export const sizingFigures = {
  /** The log, the event with its decision, what it is found by, its actions. */
  databaseBytes: 1_880,
  /** State of clients, payees and devices. */
  stateBytes: 550,
  walBytes: 3_300,
  processorUs: 1_300,
  /** Events that `ringfence backup` writes, and `ringfence restore` reads, in a second, without their start. */
  backupPerSecond: 4_200,
  restorePerSecond: 1_700,
  backupBytes: 1_010,
};

/** What is assumed, because it depends on the bank. */
export const sizingAssumptions = {
  /** The busiest moments, in times of the day's average. */
  peakFactor: 3,
  /** Beyond it, latency grows. */
  processorShareMax: 0.6,
  /** Room for ranges that are not full yet, for cleaning up, and for a month that grows. */
  diskFactor: 1.3,
  /** Write-ahead log between two checkpoints, network data, logs. */
  diskBytesMin: 4e9,
  /** The process, 1 GiB for entities of a workspace, the system. */
  memoryBytesMin: 3 * 2 ** 30,
  /** PostgreSQL keeps the events of so long in memory. */
  cacheSeconds: 3_600,
};

/** The busiest rate that was measured on one machine; see docs/performance.md. */
export const peakMeasured = 5_000;

export interface Wanted {
  /** On average over a day. */
  readonly eventsPerSecond: number;
  readonly keepDays: number;
}

export interface Sizing {
  readonly eventsADay: number;
  readonly eventsKept: number;
  readonly peakEventsPerSecond: number;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly databaseBytes: number;
  readonly diskBytes: number;
  readonly walBytesADay: number;
  readonly backupBytes: number;
  readonly backupSeconds: number;
  readonly restoreSeconds: number;
  /** More than was measured. */
  readonly isBeyondMeasured: boolean;
}

export function sizeFor({ eventsPerSecond, keepDays }: Wanted): Sizing {
  const { databaseBytes: event, stateBytes, walBytes, processorUs, ...copying } = sizingFigures;
  const { peakFactor, processorShareMax, diskFactor, diskBytesMin, memoryBytesMin, cacheSeconds } = sizingAssumptions;
  const eventsADay = eventsPerSecond * (dayMs / secondMs);
  const eventsKept = eventsADay * keepDays;
  const peakEventsPerSecond = eventsPerSecond * peakFactor;
  const databaseBytes = eventsKept * (event + stateBytes);
  const cores = Math.ceil((peakEventsPerSecond * processorUs) / 1e6 / processorShareMax);
  const memoryGiB = Math.ceil((memoryBytesMin + eventsPerSecond * cacheSeconds * (event + stateBytes)) / 2 ** 30);
  return {
    eventsADay,
    eventsKept,
    peakEventsPerSecond,
    cores: Math.max(2, cores),
    memoryBytes: memoryGiB * 2 ** 30,
    databaseBytes,
    diskBytes: databaseBytes * diskFactor + diskBytesMin,
    walBytesADay: eventsADay * walBytes,
    backupBytes: eventsKept * copying.backupBytes,
    backupSeconds: eventsKept / copying.backupPerSecond,
    restoreSeconds: eventsKept / copying.restorePerSecond,
    isBeyondMeasured: peakEventsPerSecond > peakMeasured,
  };
}

/** One row for each thing that is needed. */
export function sizingRows(sizing: Sizing): readonly (readonly [what: string, needed: string])[] {
  const { eventsADay, eventsKept, peakEventsPerSecond } = sizing;
  return [
    ['Events', `${grouped(eventsADay)} a day, ${grouped(eventsKept)} kept`],
    [
      'Processor',
      `${counted(sizing.cores, 'core')} of the measured kind, for ${grouped(peakEventsPerSecond)} events/s`,
    ],
    ['Memory', `${sizing.memoryBytes / 2 ** 30} GiB, of which 1 GiB for each workspace's entities`],
    ['Database', bytesText(sizing.databaseBytes)],
    ['Disk', bytesText(sizing.diskBytes)],
    ['Write-ahead log', `${bytesText(sizing.walBytesADay)} a day`],
    ['Backup', `${bytesText(sizing.backupBytes)} in ${durationText(sizing.backupSeconds)}`],
    ['Restore', durationText(sizing.restoreSeconds)],
  ];
}

export const beyondMeasured = `More than ${grouped(peakMeasured)} events/s at the busiest moment were not measured on one machine. Spread the workspaces over several databases, or measure first: npm run bench -- flow --rate N.`;

export function printSizing(wanted: Wanted): string {
  const sizing = sizeFor(wanted);
  const head = `${counted(wanted.eventsPerSecond, 'event')}/s on average, kept ${counted(wanted.keepDays, 'day')}`;
  const rows = table(['Needed', head], sizingRows(sizing));
  const note = 'Calculated from measurements on 2 cores: docs/reference/sizing.md has the figures and what is assumed.';
  return [rows, ...(sizing.isBeyondMeasured ? [`${beyondMeasured}\n`] : []), `${note}\n`].join('\n');
}

/** Decimal units, as disks are sold. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB', 'PB'];
  const place = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1_000 ** place;
  return `${value >= 100 || place === 0 ? Math.round(value) : value.toPrecision(2)} ${units[place]}`;
}

export function durationText(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return counted(minutes, 'minute');
  const hours = Math.ceil(minutes / 60);
  return hours < 48 ? counted(hours, 'hour') : counted(Math.ceil(hours / 24), 'day');
}
