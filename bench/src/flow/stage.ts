import type { WebhookReceiver } from '@ringfence/e2e';
import type { Client } from 'pg';
import type { LoadPlan } from '../load/generate.ts';
import type { MeasuredLoad } from '../load/run-load.ts';
import type { Histogram } from '../measure/histogram.ts';
import type { Product } from '../product/start-product.ts';
import { milliseconds } from '../report/table.ts';

export interface LoadOptions {
  /** Measured duration of each part. */
  readonly seconds: number;
  /** Events per second. */
  readonly rate: number;
  readonly connections: number;
}

/** Every operation of a visit is a payment, half of them to one of a million payees. */
export const paymentTraffic = { payments: 8, payees: 1_000_000, clients: 200_000, markEvery: 0 };

/** The service and database that both parts use. */
export interface Stage {
  readonly product: Product;
  /** Directly to the service's database. */
  readonly database: Client;
  readonly receiver: WebhookReceiver;
  readonly print: (text: string) => void;
}

/** Longest wait, after a load, until its events are decided and delivered. */
export const settleMs = 30_000;
const warmUpMs = 3_000;
/** A client returns after 40 s at the full rate. */
const clientsUsual = 20_000;
/** Of the eight operations of a visit. */
const paymentsUsual = 1;
/** Between two steps of one visit, so that a login arrives before its operations. */
const stepSeconds = 0.4;

export function planOf(
  { port, licenseKey }: Pick<Product, 'port' | 'licenseKey'>,
  load: Omit<LoadOptions, 'rate'> & {
    readonly rate: number | 'closed';
    readonly clients?: number;
    readonly firstClient?: number;
    /** Concurrent visits. Needed without a rate. */
    readonly width?: number;
    readonly markEvery: number;
    readonly run: number;
    readonly payments?: number;
    readonly payees?: number;
    readonly waitSeconds?: number;
    readonly asks?: boolean;
  },
): LoadPlan {
  const { connections, rate, seconds, markEvery, run, firstClient, payees, waitSeconds, asks = false } = load;
  const { clients = clientsUsual, payments = paymentsUsual } = load;
  const width = load.width ?? Math.floor(Number(rate) * stepSeconds);
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
      asks,
      ...(firstClient === undefined ? {} : { firstClient }),
      ...(payees === undefined ? {} : { payees }),
      ...(waitSeconds === undefined ? {} : { waitSeconds }),
    },
    connections,
    ratePerSecond: rate,
    warmUpMs,
    durationMs: seconds * 1_000,
  };
}

/** Median, 99th percentile and maximum, for a table. */
export function latencies(latency: Histogram): readonly string[] {
  return [latency.quantileUs(0.5), latency.quantileUs(0.99), latency.maxUs].map(milliseconds);
}

/** Responses with a status other than 200. */
export function notAccepted(load: MeasuredLoad): number {
  return load.answers - (load.statuses['200'] ?? 0);
}
