import { connectToEmbedded, eventually, startWebhookReceiver } from '@ringfence/e2e';
import type { Client } from 'pg';
import { startBaseline } from './baseline/start-baseline.ts';
import { latencies, notAccepted, paymentTraffic, planOf } from './flow/stage.ts';
import { lagOf } from './flow/throughput.ts';
import { type MeasuredLoad, runLoad } from './load/run-load.ts';
import { processorTimes, type Used, usedBetween } from './measure/processor-time.ts';
import { type Product, startProduct } from './product/start-product.ts';
import { profileFolder } from './profile/profile-folder.ts';
import type { Bar } from './report/bars.ts';
import { printUsed } from './report/print-used.ts';
import { figure, table } from './report/table.ts';

export interface PaymentsOptions {
  /** Measured duration of the closed load; the others take a third of it. */
  readonly seconds: number;
  readonly connections: number;
  readonly profile: boolean;
}

/** Some seconds lie between two payments of a visit, as with a person who types. */
const traffic = { ...paymentTraffic, width: 20_000 };
/** Requests per second that wait for their decision beside a load. */
const waitersRate = 50;
/** Each is used every four seconds at least: servers close idle connections. */
const waiterConnections = 200;
/** With five seconds beside the flood, most would be met before the lag is that long. */
const waitSeconds = { calm: 5, flood: 1 };
/** Of what is decided: a load that leaves room, and one that does not. */
const calmShare = 0.8;
const floodShare = 1.5;
/** Some rules close sessions: their later operations would wait for a new login. */
const sessionGraceSeconds = 0;
const drainMs = 180_000;

const decidedShareMin = 0.17;
const walBytesMax = 4_096;
const bytesMax = 1_000;
const decidedP99MsMax = 250;
const pendingP99MsMax = 50;

/**
 * Payments as fast as they are accepted, until the last one is decided: what one event costs from socket to record.
 * Then callers that wait for their decision, beside a load that the engine can take and beside one that it cannot.
 */
export async function payments(options: PaymentsOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const receiver = await startWebhookReceiver();
  const profile = await profileFolder(options.profile);
  const bare = await bareFastify(options);
  const product = await startProduct({
    webhookUrl: receiver.url,
    sessionGraceSeconds,
    nodeArguments: profile.nodeArguments,
  });
  const database = await connectToEmbedded(product.stateFolder);
  try {
    const stage = { product, database };
    const { seconds, connections } = options;
    const whole = await untilDrained(stage, { ...traffic, seconds, connections, run: 2 });
    const perSecond = whole.load.sent / whole.seconds;
    const calm = await besideWaiters(stage, {
      ...options,
      run: 3,
      rate: Math.floor(perSecond * calmShare),
      wait: waitSeconds.calm,
    });
    await drained(database);
    const flood = await besideWaiters(stage, {
      ...options,
      run: 5,
      rate: Math.floor(perSecond * floodShare),
      wait: waitSeconds.flood,
    });
    const measured = { bare, whole, perSecond, calm, flood };
    print(printed(measured));
    return barsOf(measured);
  } finally {
    await database.end();
    await product.stop();
    print(profile.print());
    await profile.remove();
    await receiver.close();
  }
}

interface Measured {
  readonly bare: MeasuredLoad;
  readonly whole: Whole;
  /** Decided until drained. */
  readonly perSecond: number;
  readonly calm: BesideWaiters;
  readonly flood: BesideWaiters;
}

function printed({ bare, whole, perSecond, calm, flood }: Measured): string {
  const rows = table([
    ['', 'per second', 'p50', 'p99', 'slowest'],
    row('bare Fastify', bare),
    row('accepted, closed', whole.load),
    row(`accepted, open at ${calmShare}`, calm.load),
    row('waiters beside it', calm.waiters),
    row(`accepted, open at ${floodShare}`, flood.load),
    row('waiters beside it', flood.waiters),
    ['of these pending', '', ...latencies(flood.waiters.pendingLatency)],
  ]);
  return [
    rows,
    `decided ${figure(perSecond)}/s until drained; lag at the end of the closed load ${figure(whole.lag)} events, of the flood ${figure(flood.lag)}`,
    `write-ahead log ${figure(whole.walBytes)} bytes an event over ${whole.checkpoints} database checkpoints`,
    `in the database ${figure(whole.bytes)} bytes an event, state apart ${figure(whole.stateBytes)}`,
    `\nprocessor time of the service per event, closed, until drained\n${printUsed(whole.used, whole.load.sent)}`,
  ].join('\n');
}

function barsOf({ bare, whole, perSecond, calm, flood }: Measured): readonly Bar[] {
  const loads = [whole.load, calm.load, calm.waiters, flood.load, flood.waiters];
  const others = loads.reduce((sum, load) => sum + notAccepted(load), 0);
  const p99 = (latency: MeasuredLoad['latency']): number => latency.quantileUs(0.99) / 1_000;
  const pending = flood.waiters.answers - flood.waiters.decided;
  const undecided = calm.waiters.answers - calm.waiters.decided;
  const most = { must: 'stay below', unit: '' } as const;
  return [
    { ...most, what: 'responses other than 200', measured: others, bar: 0 },
    {
      what: 'decided until drained, share of bare Fastify',
      measured: perSecond / bare.perSecond,
      bar: decidedShareMin,
      must: 'reach',
      unit: '',
    },
    { ...most, what: 'write-ahead log', measured: whole.walBytes, bar: walBytesMax, unit: 'bytes an event' },
    { ...most, what: 'in the database', measured: whole.bytes, bar: bytesMax, unit: 'bytes an event' },
    { ...most, what: `waiters without a decision at ${calmShare}`, measured: undecided, bar: 0 },
    {
      ...most,
      what: `decided at once at ${calmShare}, p99`,
      measured: p99(calm.waiters.latency),
      bar: decidedP99MsMax,
      unit: 'ms',
    },
    {
      ...most,
      what: `pending at once at ${floodShare}, p99`,
      measured: p99(flood.waiters.pendingLatency),
      bar: pendingP99MsMax,
      unit: 'ms',
    },
    { what: `pending answers at ${floodShare}`, measured: pending, bar: 1, must: 'reach', unit: '' },
    {
      ...most,
      what: `pending without the lag at ${floodShare}`,
      measured: pending - flood.waiters.pendingWithLag,
      bar: 0,
    },
  ];
}

export interface DrainedStage {
  readonly product: Product;
  readonly database: Client;
}

async function bareFastify({ seconds, connections }: PaymentsOptions): Promise<MeasuredLoad> {
  const baseline = await startBaseline();
  try {
    const plan = { ...traffic, seconds: seconds / 3, connections, rate: 'closed', run: 1 } as const;
    return await runLoad(planOf({ port: baseline.port, licenseKey: 'none' }, plan));
  } finally {
    baseline.stop();
  }
}

export interface Whole {
  readonly load: MeasuredLoad;
  /** From the first request until the last event was decided. */
  readonly seconds: number;
  /** Events undecided when the load ended. */
  readonly lag: number;
  readonly used: Used;
  readonly walBytes: number;
  readonly checkpoints: number;
  /** Per event: all tables but those of the engine's state, and these. */
  readonly bytes: number;
  readonly stateBytes: number;
}

/**
 * Events as fast as they are accepted, until the last one is decided. The database takes two checkpoints at least, so
 * that the write-ahead log has the images of whole pages twice.
 */
export async function untilDrained(
  { product, database }: DrainedStage,
  plan: Omit<Parameters<typeof planOf>[1], 'rate'>,
): Promise<Whole> {
  await database.query('checkpoint');
  const before = await sizes(database);
  const usedBefore = processorTimes(product.service.pid);
  const begunMs = performance.now();
  const middle = setTimeout(() => void database.query('checkpoint'), plan.seconds * 500);
  const load = await runLoad(planOf(product, { ...plan, rate: 'closed' })).finally(() => clearTimeout(middle));
  const lag = await lagOf(database);
  await drained(database);
  const tookSeconds = (performance.now() - begunMs) / 1_000;
  const used = usedBetween(usedBefore, processorTimes(product.service.pid));
  const after = await sizes(database);
  return {
    load,
    seconds: tookSeconds,
    lag,
    used,
    walBytes: (after.wal - before.wal) / load.sent,
    checkpoints: after.checkpoints - before.checkpoints + 1,
    bytes: (after.rows - before.rows) / load.sent,
    stateBytes: (after.state - before.state) / load.sent,
  };
}

interface BesideWaiters {
  readonly load: MeasuredLoad;
  readonly waiters: MeasuredLoad;
  /** Events undecided at the end. */
  readonly lag: number;
}

async function besideWaiters(
  { product, database }: DrainedStage,
  {
    seconds,
    connections,
    run,
    rate,
    wait,
  }: PaymentsOptions & { readonly run: number; readonly rate: number; readonly wait: number },
): Promise<BesideWaiters> {
  const common = { ...traffic, seconds: seconds / 3 };
  const [load, waiters] = await Promise.all([
    runLoad(planOf(product, { ...common, connections: connections * 2, rate, run })),
    runLoad(
      planOf(product, {
        ...common,
        connections: waiterConnections,
        rate: waitersRate,
        run: run + 1,
        waitSeconds: wait,
      }),
    ),
  ]);
  return { load, waiters, lag: await lagOf(database) };
}

function drained(database: Client): Promise<unknown> {
  return eventually('all is decided', drainMs, async () => ((await lagOf(database)) === 0 ? true : undefined));
}

/** Bytes of write-ahead log since the database was made, and of its tables. */
async function sizes(
  database: Client,
): Promise<{ readonly wal: number; readonly checkpoints: number; readonly state: number; readonly rows: number }> {
  const found = await database.query<{ wal: string; checkpoints: string; state: string; whole: string }>(
    `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal,
            (select num_timed + num_requested from pg_stat_checkpointer) as checkpoints,
            (select coalesce(sum(pg_total_relation_size(c.oid)), 0) from pg_class c
              where c.relkind = 'r' and c.relname = any('{entity_state,base_entity,state_segment,state_block,checkpoint,log_base}')) as state,
            pg_database_size(current_database()) as whole`,
  );
  const { wal, checkpoints, state, whole } = found.rows[0]!;
  return {
    wal: Number(wal),
    checkpoints: Number(checkpoints),
    state: Number(state),
    rows: Number(whole) - Number(state),
  };
}

function row(name: string, { perSecond, latency }: MeasuredLoad): readonly string[] {
  return [name, figure(perSecond), ...latencies(latency)];
}
