import { startWebhookReceiver } from '@ringfence/e2e';
import { type Baseline, startBaseline } from './baseline/start-baseline.ts';
import { type MeasuredLoad, runLoad } from './load/run-load.ts';
import { type Product, startProduct } from './product/start-product.ts';
import { profileFolder } from './profile/profile-folder.ts';
import { processorTimes, type Used, usedBetween } from './measure/processor-time.ts';
import type { Bar } from './report/bars.ts';
import { printUsed } from './report/print-used.ts';
import { figure, median, milliseconds, table } from './report/table.ts';

export interface IngestOptions {
  readonly connections: number;
  /** Measured duration of one round of one side. */
  readonly seconds: number;
  readonly rounds: number;
  /** Profiles the service with V8's profiler, which costs some percent. */
  readonly profile: boolean;
}

/** The bar: throughput of durable ingest as a share of a bare handler's. */
const ratioMin = 0.45;
const warmUpMs = 2_000;
const clients = 5_000;
/** All eight operations of a visit: the largest bodies. */
const payments = 8;
/** Concurrent visits: login, eight operations and logout of one session are this many requests apart. */
const width = 2_000;

/**
 * Durable ingest compared with a bare Fastify handler: alternating rounds of the same load from the same generator, as
 * the ratio of the medians. The process only takes events, with keys, all checks, sealing and the log's commit. The
 * engine's work is measured by `engine`, and both together by `flow`.
 */
export async function ingest(options: IngestOptions, print: (text: string) => void): Promise<readonly Bar[]> {
  const profile = await profileFolder(options.profile);
  const receiver = await startWebhookReceiver();
  const baseline = await startBaseline();
  const product = await startProduct({
    webhookUrl: receiver.url,
    nodeArguments: profile.nodeArguments,
    serveArguments: ['--door-only'],
  });
  try {
    const bars = await compare({ baseline, product }, options, print);
    await product.stop();
    print(profile.print());
    return bars;
  } finally {
    await product.stop();
    baseline.stop();
    await receiver.close();
    await profile.remove();
  }
}

async function compare(
  sides: { readonly baseline: Baseline; readonly product: Product },
  options: IngestOptions,
  print: (text: string) => void,
): Promise<readonly Bar[]> {
  const bare: MeasuredLoad[] = [];
  const durable: MeasuredLoad[] = [];
  const used: Used[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const load = (port: number): Promise<MeasuredLoad> =>
      sendRound({ port, round, token: sides.product.licenseKey }, options);
    bare.push(await load(sides.baseline.port));
    const before = processorTimes(sides.product.service.pid);
    durable.push(await load(sides.product.port));
    used.push(usedBetween(before, processorTimes(sides.product.service.pid)));
  }
  print(
    table([
      ['', 'requests/s', 'p50', 'p99', 'slowest', 'generator'],
      ...bare.map((load, round) => row(`bare Fastify ${round + 1}`, load)),
      ...durable.map((load, round) => row(`Ringfence ${round + 1}`, load)),
    ]),
  );
  print(`\nprocessor time of the service per request, last round\n`);
  print(printUsed(used.at(-1) ?? [], durable.at(-1)?.sent ?? 1));
  const perSecond = (loads: readonly MeasuredLoad[]): number => median(loads.map((load) => load.perSecond));
  const others = durable.reduce((sum, load) => sum + load.answers - (load.statuses['200'] ?? 0), 0);
  return [
    {
      what: 'durable ingest, share of bare Fastify',
      measured: perSecond(durable) / perSecond(bare),
      bar: ratioMin,
      must: 'reach',
      unit: '',
    },
    { what: 'responses other than 200', measured: others, bar: 0, must: 'stay below', unit: '' },
  ];
}

function sendRound(
  to: { readonly port: number; readonly round: number; readonly token: string },
  { connections, seconds }: IngestOptions,
): Promise<MeasuredLoad> {
  const pathPrefix = '/api/v5/analytics/app';
  return runLoad({
    target: { host: '127.0.0.1', port: to.port },
    traffic: {
      host: '127.0.0.1',
      token: to.token,
      pathPrefix,
      clients,
      width,
      payments,
      markEvery: 0,
      run: to.round + 1,
    },
    connections,
    ratePerSecond: 'closed',
    warmUpMs,
    durationMs: seconds * 1_000,
  });
}

function row(name: string, { perSecond, latency, cpuUsEach }: MeasuredLoad): readonly string[] {
  const quantile = (q: number): string => milliseconds(latency.quantileUs(q));
  return [
    name,
    figure(perSecond),
    quantile(0.5),
    quantile(0.99),
    milliseconds(latency.maxUs),
    `${figure(cpuUsEach)} us each`,
  ];
}
