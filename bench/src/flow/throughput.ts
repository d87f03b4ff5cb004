import { eventually } from '@ringfence/e2e';
import type { Client } from 'pg';
import { type MeasuredLoad, runLoad } from '../load/run-load.ts';
import { processorTimes, usedBetween } from '../measure/processor-time.ts';
import type { Bar } from '../report/bars.ts';
import { printUsed } from '../report/print-used.ts';
import { figure, median, table } from '../report/table.ts';
import { latencies, type LoadOptions, notAccepted, planOf, settleMs, type Stage } from './stage.ts';

/** The lag counts as growing if its last third exceeds its middle third by this many seconds of traffic. */
const lagGrowthSecondsMax = 0.5;
/** Share of the rate that must be accepted within the measured time. */
const acceptedShareMin = 0.99;
/** Requests that may be late at the end: a tenth of a second of traffic. */
const unsentShareMax = 0.1;
const lookEveryMs = 1_000;

/** What is sent. */
interface Traffic {
  readonly name: string;
  readonly run: number;
  readonly payments?: number;
  readonly payees?: number;
  readonly clients?: number;
}

/** Events accepted, decided by the starter policy and recorded, at a fixed rate. */
export async function throughput(
  { product, database, print }: Stage,
  options: LoadOptions,
  { name, ...traffic }: Traffic,
): Promise<readonly Bar[]> {
  const before = processorTimes(product.service.pid);
  const running = runLoad(planOf(product, { ...options, ...traffic, markEvery: 0 }));
  const { lags, load } = await watchLag(database, running);
  const used = usedBetween(before, processorTimes(product.service.pid));
  const left = await eventually('all is decided', settleMs, async () =>
    (await lagOf(database)) === 0 ? 0 : undefined,
  ).catch(() => lagOf(database));
  const third = Math.floor(lags.length / 3);
  const [middle, last] = [median(lags.slice(third, 2 * third)), median(lags.slice(2 * third))];
  print(
    table([
      [name, 'accepted/s', 'p50', 'p99', 'slowest', 'lag, middle third', 'lag, last third', 'largest lag'],
      [
        '',
        figure(load.perSecond),
        ...latencies(load.latency),
        ...[middle, last, Math.max(...lags)].map((lag) => `${figure(lag)} events`),
      ],
    ]),
  );
  print(`\nprocessor time of the service per event, including the warm-up\n`);
  print(`${printUsed(used, load.sent)}\n`);
  return [
    {
      what: `${name}: accepted`,
      measured: load.perSecond,
      bar: options.rate * acceptedShareMin,
      must: 'reach',
      unit: 'events/s',
    },
    { what: `${name}: responses other than 200`, measured: notAccepted(load), bar: 0, must: 'stay below', unit: '' },
    {
      what: `${name}: due but not sent in time`,
      measured: load.unsent,
      bar: options.rate * unsentShareMax,
      must: 'stay below',
      unit: 'events',
    },
    {
      what: `${name}: growth of the lag`,
      measured: (last - middle) / options.rate,
      bar: lagGrowthSecondsMax,
      must: 'stay below',
      unit: 's of traffic',
    },
    { what: `${name}: undecided at the end`, measured: left, bar: 0, must: 'stay below', unit: 'events' },
  ];
}

/** The lag once a second while the load runs. */
async function watchLag(
  database: Client,
  running: Promise<MeasuredLoad>,
): Promise<{ readonly lags: readonly number[]; readonly load: MeasuredLoad }> {
  const lags: number[] = [];
  const timer = setInterval(() => void lagOf(database).then((lag) => lags.push(lag)), lookEveryMs);
  try {
    return { load: await running, lags };
  } finally {
    clearInterval(timer);
  }
}

/** Records of the log after the engine's recorded position, read directly from the service's database. */
export async function lagOf(database: Client): Promise<number> {
  const found = await database.query<{ readonly lag: string }>(
    `SELECT sum(p.end_offset - e.next_offset) AS lag
       FROM log_partition p JOIN engine_position e ON e.workspace_id = p.partition`,
  );
  return Number(found.rows[0]?.lag ?? 0);
}
