import type { WebhookReceiver } from '@ringfence/e2e';
import type { Client } from 'pg';
import type { LoadPlan } from '../load/generate.ts';
import type { MeasuredLoad } from '../load/run-load.ts';
import type { Histogram } from '../measure/histogram.ts';
import type { Product } from '../product/start-product.ts';
import { milliseconds } from '../report/table.ts';

export interface FlowOptions {
  /** Counted time of each of the two parts. */
  readonly seconds: number;
  /** Events per second of the first part. */
  readonly rate: number;
  readonly connections: number;
  /** Where the service's time goes, by V8's profiler. It costs the service some percent. */
  readonly profile?: boolean;
}

/** What both parts play on. */
export interface Stage {
  readonly product: Product;
  /** Past the service, into its database. */
  readonly database: Client;
  readonly receiver: WebhookReceiver;
  readonly print: (text: string) => void;
}

/** Longest wait, after a load, for what it has set in motion. */
export const settleMs = 30_000;
const warmUpMs = 3_000;
/** A client comes back after 40 s at the full rate. */
const clients = 20_000;
/** Of the eight operations of a visit. */
const payments = 1;
/** Steps of one visit lie so far apart, so that a login is there before its operations. */
const stepSeconds = 0.4;

export function planOf(
  { port, licenseKey }: Product,
  load: FlowOptions & { readonly markEvery: number; readonly run: number; readonly waitSeconds?: number },
): LoadPlan {
  const { connections, rate, seconds, markEvery, run, waitSeconds } = load;
  const width = Math.floor(rate * stepSeconds);
  const pathPrefix = '/api/v5/analytics/app';
  return {
    target: { host: '127.0.0.1', port },
    traffic: {
      host: '127.0.0.1',
      token: licenseKey,
      pathPrefix,
      clients,
      width,
      payments,
      markEvery,
      run,
      ...(waitSeconds === undefined ? {} : { waitSeconds }),
    },
    connections,
    ratePerSecond: rate,
    warmUpMs,
    durationMs: seconds * 1_000,
  };
}

/** Median, 99th percentile and largest, for a table. */
export function latencies(latency: Histogram): readonly string[] {
  return [latency.quantileUs(0.5), latency.quantileUs(0.99), latency.maxUs].map(milliseconds);
}

/** Answers that are not 200. */
export function notAccepted(load: MeasuredLoad): number {
  return load.answers - (load.statuses['200'] ?? 0);
}
