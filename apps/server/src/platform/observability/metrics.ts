import { secondMs } from '@ringfence/contract';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { FastifyPluginAsync } from 'fastify';
import type { CountedMetric } from './ingest-counts.ts';
import { LabelledCounts } from './labelled-counts.ts';
import { addReadGauge, addScrapedGauges, type ScrapedState } from './scraped-gauges.ts';
import type { LoopDelay } from './loop-delay.ts';

/** Asks each thread that takes events for what it has counted. Rejects if one does not answer. */
export type IngestCounted = () => Promise<readonly (readonly CountedMetric[])[]>;

export interface MetricsOptions {
  readonly scrape: () => Promise<ScrapedState>;
  /** What each thread that takes events has counted. */
  readonly ingest: IngestCounted;
  readonly monotonicMs: () => number;
}

/** It is reported every second; an older one says nothing about a thread that is blocked. */
const delayMsMax = 5 * secondMs;

/** The result of one batch, or of several. */
export interface DecidedRecords {
  readonly records: number;
  readonly decisions: number;
  /** Approximate memory used by the entities. */
  readonly residentBytes: number;
}

/** What retention removes: records of the log, events with their decisions, finished actions, idempotency keys. */
const agedOut = ['records', 'events', 'actions', 'keys'] as const;
export type AgedOut = (typeof agedOut)[number];

/**
 * Why a log-in failed: wrong credentials, a wrong code, all tries of codes used up, a request that could not be read or
 * guessed a link, too many attempts before, or an answer of the OpenID provider that proved nothing.
 */
const logInFailures = ['password', 'code', 'codesUsedUp', 'unreadable', 'limited', 'openId'] as const;
export type LogInFailure = (typeof logInFailures)[number];

function failedLogIns(registry: Registry): Counter<'why'> {
  const counter = new Counter({
    name: 'ringfence_failed_log_ins_total',
    help: 'Log-ins to the console that failed, by reason; of those over the limit only the first.',
    labelNames: ['why'],
    registers: [registry],
  });
  for (const why of logInFailures) counter.inc({ why }, 0);
  return counter;
}

/** Upper bounds in seconds. */
const attemptBuckets = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15];

/**
 * The metrics of this process, in Prometheus' text format. The hot path counts in plain numbers, which are converted on
 * a scrape. Labels are routes, states and workspace ids: never anything about a client.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #scrape: () => Promise<ScrapedState>;
  readonly #ingest: IngestCounted;
  readonly #attempts: LabelledCounts;
  readonly #failedLogIns = failedLogIns(this.#registry);
  readonly #notifications: LabelledCounts;
  readonly #attemptSeconds: Histogram;
  readonly #managementRefused: Counter<string>;
  readonly #auditSendsFailed: Counter<string>;
  readonly #records: Counter<'workspace'>;
  readonly #decisions: Counter<'workspace'>;
  readonly #engineMemory: Gauge<'workspace'>;
  readonly #removed: Counter<'what'>;
  readonly #monotonicMs: () => number;
  #engineDelay: (LoopDelay & { readonly atMs: number }) | undefined;
  #state: Promise<ScrapedState> | undefined;

  constructor({ scrape, ingest, monotonicMs }: MetricsOptions) {
    this.#scrape = scrape;
    this.#ingest = ingest;
    this.#monotonicMs = monotonicMs;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#attempts = new LabelledCounts(
      { name: 'ringfence_delivery_attempts_total', help: 'Webhook attempts, by result.', labels: ['result'] },
      this.#registry,
    );
    this.#notifications = new LabelledCounts(
      {
        name: 'ringfence_notification_attempts_total',
        help: 'Attempts to send messages of notifications, by kind of destination and result.',
        labels: ['kind', 'result'],
      },
      this.#registry,
    );
    this.#attemptSeconds = new Histogram({
      name: 'ringfence_delivery_attempt_duration_seconds',
      help: 'Time from connecting to a webhook to the end of its response.',
      buckets: attemptBuckets,
      registers,
    });
    this.#managementRefused = new Counter({
      name: 'ringfence_management_connections_refused_total',
      help: 'Connections of the management listener that were refused because their address, or all together, had too many.',
      registers,
    });
    this.#auditSendsFailed = new Counter({
      name: 'ringfence_audit_sends_failed_total',
      help: 'Attempts of this process to send the audit log to the syslog server that failed.',
      registers,
    });
    const counter = (name: string, help: string): Counter<'workspace'> =>
      new Counter({ name, help, labelNames: ['workspace'] as const, registers });
    this.#records = counter('ringfence_engine_records_total', 'Log records decided by this process.');
    this.#decisions = counter('ringfence_decisions_total', 'Decisions made by this process.');
    this.#engineMemory = memoryGauge(this.#registry);
    this.#removed = removedCounter(this.#registry);
    addScrapedGauges(this.#registry, () => (this.#state ??= this.#scrape()));
    addDelayGauge(this.#registry, 'p99', () => this.#freshDelay()?.p99Ms);
    addDelayGauge(this.#registry, 'max', () => this.#freshDelay()?.maxMs);
  }

  managementConnectionRefused(): void {
    this.#managementRefused.inc();
  }

  auditSendFailed(): void {
    this.#auditSendsFailed.inc();
  }

  logInFailed(why: LogInFailure): void {
    this.#failedLogIns.inc({ why });
  }

  /** A batch was committed. */
  decided(workspaceId: string, done: DecidedRecords): void {
    this.#records.inc({ workspace: workspaceId }, done.records);
    this.#decisions.inc({ workspace: workspaceId }, done.decisions);
    this.#engineMemory.set({ workspace: workspaceId }, done.residentBytes);
  }

  /** This process no longer decides the workspace. */
  left(workspaceId: string): void {
    this.#engineMemory.remove({ workspace: workspaceId });
  }

  /** Event loop delay of the engine threads over the last second. */
  engineDelay(delay: LoopDelay): void {
    this.#engineDelay = { ...delay, atMs: this.#monotonicMs() };
  }

  /** `undefined` if no thread decides here, or none has said anything for a while. */
  #freshDelay(): LoopDelay | undefined {
    const last = this.#engineDelay;
    return last === undefined || this.#monotonicMs() - last.atMs > delayMsMax ? undefined : last;
  }

  /** Retention removed data past their retention period. */
  removed(what: AgedOut, count: number): void {
    this.#removed.inc({ what }, count);
  }

  attempted(attempt: { readonly result: string; readonly durationMs: number }): void {
    this.#attempts.count(attempt.result);
    this.#attemptSeconds.observe(attempt.durationMs / 1_000);
  }

  /** An attempt to send a message has ended; `result` is `sent`, or the reason of the failure. */
  notificationAttempted(kind: string, result: string): void {
    this.#notifications.count(kind, result);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Everything, in Prometheus' text format. What the threads that take events counted is missing if one is silent. */
  async print(): Promise<string> {
    this.#state = undefined;
    const counted = await this.#ingest().catch(() => []);
    const ofIngest = Registry.aggregate(counted.map((one) => [...one]));
    return (await this.#registry.metrics()) + (await ofIngest.metrics());
  }
}

function addDelayGauge(registry: Registry, of: 'p99' | 'max', readMs: () => number | undefined): void {
  const which = of === 'p99' ? '99th percentile of the' : 'Longest';
  const about = {
    name: `ringfence_engine_loop_delay_${of}_seconds`,
    help: `${which} event loop delay of the engine threads, over the last second.`,
  };
  addReadGauge(registry, about, async () => {
    const ms = readMs();
    return ms === undefined ? undefined : ms / secondMs;
  });
}

function memoryGauge(registry: Registry): Gauge<'workspace'> {
  return new Gauge({
    name: 'ringfence_engine_memory_bytes',
    help: 'Approximate memory that the entities of a workspace use in this process.',
    labelNames: ['workspace'] as const,
    registers: [registry],
  });
}

function removedCounter(registry: Registry): Counter<'what'> {
  const counter = new Counter({
    name: 'ringfence_removed_total',
    help: 'Items that this process removed after their retention period, by kind.',
    labelNames: ['what'] as const,
    registers: [registry],
  });
  for (const what of agedOut) counter.inc({ what }, 0);
  return counter;
}

/** `GET /metrics`, for the management listener only: it requires no token, so it must not be public. */
export function metricsPlugin(metrics: Pick<Metrics, 'print' | 'contentType'>): FastifyPluginAsync {
  return async (app) => {
    app.get('/metrics', { logLevel: 'silent' }, async (_, reply) => {
      reply.type(metrics.contentType).header('cache-control', 'no-store');
      return metrics.print();
    });
  };
}
