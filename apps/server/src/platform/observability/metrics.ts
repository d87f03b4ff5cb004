import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';
import { shownCounts } from '@ringfence/delivery';
import type { FastifyPluginAsync } from 'fastify';
import type { CertificateExpiry } from './certificate-expiry.ts';
import type { Backlog } from './backlog.ts';
import type { CountedMetric } from './ingest-counts.ts';
import type { BlockedDeliveries } from './blocked-deliveries.ts';
import { LabelledCounts } from './labelled-counts.ts';

/** State that is read from the database on each scrape. */
export interface ScrapedState {
  readonly workspaces: readonly Backlog[];
  /** Actions in the outbox, by state. */
  readonly deliveries: ReadonlyMap<string, number>;
  /** The workspaces whose actions are not being sent. */
  readonly heldBack: BlockedDeliveries;
  /** Held payments, by workspace; a workspace without any may be missing. */
  readonly holds: ReadonlyMap<string, HeldPayments>;
  /** Reported outcomes without their event, by workspace; a workspace without any may be missing. */
  readonly outcomes: ReadonlyMap<string, OpenOutcomes>;
  /** Milliseconds since every thread of this process had current data on all workspaces and keys. */
  readonly registryAgeMs: number;
  /** How far the machine's clock is ahead of the log's time; negative if it is behind. */
  readonly clockAheadMs: number;
  /** Milliseconds since retention last completed: everything past its retention period was gone. */
  readonly retentionAgeMs: number;
  /** Age of the oldest data used for IP address lookups, in milliseconds. */
  readonly networkDataAgeMs: number;
  readonly certificatesLeft: readonly CertificateExpiry[];
}

/** Held payments of one workspace. */
export interface HeldPayments {
  readonly open: number;
  /** Open ones that end within 10 minutes. */
  readonly due: number;
  /** Ends of holds that the bank was not told yet, or for good. */
  readonly undelivered: number;
}

/** Reported outcomes of one workspace that are not matched with an event. */
export interface OpenOutcomes {
  /** They may still be matched. */
  readonly waiting: number;
  /** They never will be. */
  readonly unmatched: number;
}

const noHolds: HeldPayments = { open: 0, due: 0, undelivered: 0 };
const noOutcomes: OpenOutcomes = { waiting: 0, unmatched: 0 };

/** Asks each thread that takes events for what it has counted. Rejects if one does not answer. */
export type IngestCounted = () => Promise<readonly (readonly CountedMetric[])[]>;

/** The result of one batch, or of several. */
export interface DecidedRecords {
  readonly records: number;
  readonly decisions: number;
  /** Approximate memory used by the entities. */
  readonly residentBytes: number;
}

const nothing: ScrapedState = {
  workspaces: [],
  deliveries: new Map(),
  heldBack: { failing: new Set(), paused: new Set() },
  holds: new Map(),
  outcomes: new Map(),
  registryAgeMs: 0,
  clockAheadMs: 0,
  retentionAgeMs: 0,
  networkDataAgeMs: 0,
  certificatesLeft: [],
};

/** Exported even when zero: an alert on a missing series never fires. */
const queuedStates = ['waiting', 'due', 'leased', 'capped'];
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
  readonly #attemptSeconds: Histogram;
  readonly #records: Counter<'workspace'>;
  readonly #decisions: Counter<'workspace'>;
  readonly #engineDelay: Gauge<'quantile'>;
  readonly #engineMemory: Gauge<'workspace'>;
  readonly #removed: Counter<'what'>;
  readonly #reachable: Gauge;
  #state: Promise<ScrapedState> | undefined;

  /** @param ingest what each thread that takes events has counted */
  constructor(scrape: () => Promise<ScrapedState>, ingest: IngestCounted = async () => []) {
    this.#scrape = scrape;
    this.#ingest = ingest;
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#attempts = new LabelledCounts(
      { name: 'ringfence_delivery_attempts_total', help: 'Webhook attempts, by result.', labels: ['result'] },
      this.#registry,
    );
    this.#attemptSeconds = new Histogram({
      name: 'ringfence_delivery_attempt_duration_seconds',
      help: 'Time from connecting to a webhook to the end of its response.',
      buckets: attemptBuckets,
      registers,
    });
    const counter = (name: string, help: string): Counter<'workspace'> =>
      new Counter({ name, help, labelNames: ['workspace'] as const, registers });
    this.#records = counter('ringfence_engine_records_total', 'Log records decided by this process.');
    this.#decisions = counter('ringfence_decisions_total', 'Decisions made by this process.');
    this.#engineMemory = memoryGauge(this.#registry);
    this.#engineDelay = new Gauge({
      name: 'ringfence_engine_loop_delay_seconds',
      help: 'Event loop delay of the engine thread over the last second.',
      labelNames: ['quantile'] as const,
      registers,
    });
    this.#removed = removedCounter(this.#registry);
    this.#reachable = new Gauge({
      name: 'ringfence_database_reachable',
      help: 'Whether the database could be read for this scrape. When it is 0, other gauges are missing.',
      registers,
      collect: async () => void (await this.#scraped()),
    });
    addScrapedGauges(this.#registry, () => this.#scraped());
    addAgeGauges(this.#registry, () => this.#scraped());
  }

  /** One read of the database serves all gauges of one scrape. */
  #scraped(): Promise<ScrapedState> {
    this.#state ??= this.#scrape().then(
      (state) => {
        this.#reachable.set(1);
        return state;
      },
      () => {
        this.#reachable.set(0);
        return nothing;
      },
    );
    return this.#state;
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

  /** Event loop delay of the engine thread over the last second. */
  engineDelay(delay: { readonly p99Ms: number; readonly maxMs: number }): void {
    this.#engineDelay.set({ quantile: '0.99' }, delay.p99Ms / 1_000);
    this.#engineDelay.set({ quantile: '1' }, delay.maxMs / 1_000);
  }

  /** Retention removed data past their retention period. */
  removed(what: AgedOut, count: number): void {
    this.#removed.inc({ what }, count);
  }

  attempted(attempt: { readonly result: string; readonly durationMs: number }): void {
    this.#attempts.count(attempt.result);
    this.#attemptSeconds.observe(attempt.durationMs / 1_000);
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

function addScrapedGauges(registry: Registry, state: () => Promise<ScrapedState>): void {
  const registers = [registry];
  const perWorkspace = (name: string, help: string, value: (of: Backlog, known: ScrapedState) => number): void => {
    const gauge: Gauge<'workspace'> = new Gauge({
      name,
      help,
      labelNames: ['workspace'] as const,
      registers,
      collect: async () => {
        gauge.reset();
        const known = await state();
        for (const one of known.workspaces) gauge.set({ workspace: one.id }, value(one, known));
      },
    });
  };
  perWorkspace('ringfence_engine_behind_records', 'Log records that are not decided yet.', ({ behind }) => behind);
  perWorkspace('ringfence_engine_lag_seconds', 'Age of the oldest undecided record.', ({ lagMs }) => lagMs / 1_000);
  perWorkspace('ringfence_quarantined_records', 'Records in quarantine.', ({ quarantined }) => quarantined);
  perWorkspace(
    'ringfence_engine_paused',
    '1 if nothing is decided because this release rejects the active policy.',
    ({ paused }) => (paused === undefined ? 0 : 1),
  );
  perWorkspace(
    'ringfence_webhook_failing',
    '1 if the circuit breaker of the webhook is open, or the webhook is disabled.',
    ({ id }, { heldBack }) => Number(heldBack.failing.has(id)),
  );
  perWorkspace(
    'ringfence_deliveries_paused',
    '1 if a person paused all deliveries, of this workspace or of all.',
    ({ id }, { heldBack }) => Number(heldBack.paused.has(id)),
  );
  const held = (name: string, help: string, of: keyof HeldPayments): void =>
    perWorkspace(name, help, ({ id }, { holds }) => (holds.get(id) ?? noHolds)[of]);
  held('ringfence_holds_open', 'Payments that are held.', 'open');
  held('ringfence_holds_due', 'Held payments that end within 10 minutes without a decision.', 'due');
  held('ringfence_hold_resolutions_undelivered', 'Releases and rejections that the bank was not told.', 'undelivered');
  const reported = (name: string, help: string, of: keyof OpenOutcomes): void =>
    perWorkspace(name, help, ({ id }, { outcomes }) => (outcomes.get(id) ?? noOutcomes)[of]);
  reported('ringfence_outcomes_waiting', 'Reported outcomes that wait for their event.', 'waiting');
  reported('ringfence_outcomes_unmatched', 'Reported outcomes that are kept and match no event.', 'unmatched');
  const names: Gauge<'workspace' | 'name' | 'environment'> = new Gauge({
    name: 'ringfence_workspace_info',
    help: 'Names of the workspaces, by id.',
    labelNames: ['workspace', 'name', 'environment'] as const,
    registers,
    collect: async () => {
      names.reset();
      for (const { id, name, environment } of (await state()).workspaces) {
        names.set({ workspace: id, name, environment }, 1);
      }
    },
  });
  const deliveries: Gauge<'state'> = new Gauge({
    name: 'ringfence_deliveries',
    help: 'Actions in the outbox, by state.',
    labelNames: ['state'] as const,
    registers,
    collect: async () => {
      deliveries.reset();
      const known = await state();
      if (known !== nothing) for (const queued of queuedStates) deliveries.set({ state: queued }, 0);
      for (const [label, count] of shownCounts(known.deliveries)) deliveries.set({ state: label }, count);
    },
  });
}

function addAgeGauges(registry: Registry, state: () => Promise<ScrapedState>): void {
  const certificates: Gauge<'listener' | 'workspace' | 'certificate'> = new Gauge({
    name: 'ringfence_certificate_left_seconds',
    help: "Time until the certificate of a listener, or of a workspace's webhook, expires; negative if it has.",
    labelNames: ['listener', 'workspace', 'certificate'],
    registers: [registry],
    collect: async () => {
      certificates.reset();
      for (const { labels, leftMs } of (await state()).certificatesLeft) certificates.set(labels, leftMs / 1_000);
    },
  });
  const age = (name: string, help: string, ageMs: (known: ScrapedState) => number): void => {
    const gauge: Gauge = new Gauge({
      name,
      help,
      registers: [registry],
      collect: async () => gauge.set(ageMs(await state()) / 1_000),
    });
  };
  age(
    'ringfence_clock_ahead_seconds',
    'How far the clock of this machine is ahead of the time of the log, which is monotonic; negative if it is behind.',
    ({ clockAheadMs }) => clockAheadMs,
  );
  age(
    'ringfence_registry_age_seconds',
    'Time since this process last had current data on all workspaces and keys.',
    ({ registryAgeMs }) => registryAgeMs,
  );
  age(
    'ringfence_retention_age_seconds',
    'Time since retention was last complete, in any process.',
    ({ retentionAgeMs }) => retentionAgeMs,
  );
  age(
    'ringfence_network_data_age_seconds',
    'Age of the oldest data used for IP address lookups.',
    ({ networkDataAgeMs }) => networkDataAgeMs,
  );
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
