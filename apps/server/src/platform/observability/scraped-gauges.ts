import { type Gauge as GaugeType, Gauge, type Registry } from '@prometheus-io/client';
import { shownCounts } from '@ringfence/delivery';
import type { CertificateExpiry } from './certificate-expiry.ts';
import type { Backlog } from './backlog.ts';
import type { BlockedDeliveries } from './blocked-deliveries.ts';
import type { LostDeliveries } from './lost-deliveries.ts';
import type { PoolUse } from './pool-use.ts';
import { joinStreams, type StreamState } from './stream-state.ts';
import type { StorageSize } from '../database/storage-size.ts';

/**
 * What is read on each scrape, by its source. A source that is away is `undefined`: its gauges are then missing, because
 * a 0 in their place would tell that all is well.
 */
export interface ScrapedState {
  /** One, or several: the home database first. */
  readonly databases: readonly ScrapedDatabase[];
  /** What the threads that take events answered. */
  readonly threads: ThreadsState | undefined;
  /** How far the machine's clock is ahead of the log's time; negative if it is behind. */
  readonly clockAheadMs: number;
  readonly certificatesLeft: readonly CertificateExpiry[];
}

export interface ScrapedDatabase {
  readonly name: string;
  readonly state: DatabaseState | undefined;
  /** Sizes of the database and its disk. */
  readonly storage: StorageSize | undefined;
  /** The connections of the main thread; `undefined` before it could be opened. */
  readonly pool: PoolUse | undefined;
}

export interface DatabaseState {
  readonly workspaces: readonly Backlog[];
  /** Actions in the outbox, by state. */
  readonly deliveries: ReadonlyMap<string, number>;
  readonly lost: LostDeliveries;
  /** The workspaces whose actions are not being sent. */
  readonly heldBack: BlockedDeliveries;
  /** Held payments, by workspace; a workspace without any may be missing. */
  readonly holds: ReadonlyMap<string, HeldPayments>;
  /** Reported outcomes without their event, by workspace; a workspace without any may be missing. */
  readonly outcomes: ReadonlyMap<string, OpenOutcomes>;
  /** How far the values of models are from those of their training, on the newest whole day. */
  readonly drifts: readonly ReadDrift[];
  /** Messages of notifications, by kind of destination. */
  readonly notifications: readonly WaitingMessages[];
  /** Milliseconds since retention last completed: everything past its retention period was gone. */
  readonly retentionAgeMs: number;
  /** Entries of the audit log that the syslog server has not taken; none without such a server. */
  readonly unsentAudit: { readonly waiting: number; readonly oldestMs: number };
  readonly streams: readonly StreamState[];
}

export interface ThreadsState {
  /** Milliseconds since every thread of this process had current data on all workspaces and keys. */
  readonly registryAgeMs: number;
  /** Age of the oldest data used for IP address lookups, in milliseconds. */
  readonly networkDataAgeMs: number;
}

/** The population stability indices of a model; of the input "" for its result. */
export interface ReadDrift {
  readonly workspaceId: string;
  readonly model: string;
  readonly inputs: readonly { readonly input: string; readonly index: number }[];
}

/** Messages to destinations of one kind. */
export interface WaitingMessages {
  readonly kind: string;
  readonly waiting: number;
  /** Since when the longest of them is due. */
  readonly oldestMs: number;
  /** Kept messages that were not sent. */
  readonly dead: number;
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

/** Exported even when zero: an alert on a missing series never fires. */
const queuedStates = ['waiting', 'due', 'leased', 'capped'];

type Labels = Readonly<Record<string, string>>;
/** One line of a gauge: its labels and its value. */
type Sample = readonly [labels: Labels, value: number];

/** Registers gauges whose values are read when they are printed. */
class ReadGauges {
  readonly #registry: Registry;
  readonly #state: () => Promise<ScrapedState>;

  constructor(registry: Registry, state: () => Promise<ScrapedState>) {
    this.#registry = registry;
    this.#state = state;
  }

  /** A gauge with one value; missing if it is `undefined`. */
  one(name: string, help: string, valueOf: (state: ScrapedState) => number | undefined): void {
    addReadGauge(this.#registry, { name, help }, async () => valueOf(await this.#state()));
  }

  /** A gauge with labels; without samples there is no line. */
  many(about: AboutGauge, samplesOf: (state: ScrapedState) => Iterable<Sample>): void {
    const gauge: GaugeType<string> = new Gauge({
      ...about,
      registers: [this.#registry],
      collect: async () => {
        const state = await this.#state();
        gauge.reset();
        for (const [labels, value] of samplesOf(state)) gauge.set(labels, value);
      },
    });
  }

  perWorkspace(name: string, help: string, valueOf: (one: Backlog, known: DatabaseState) => number): void {
    this.many({ name, help, labelNames: ['workspace'] }, (state) =>
      statesOf(state).flatMap((known) =>
        known.workspaces.map((one): Sample => [{ workspace: one.id }, valueOf(one, known)]),
      ),
    );
  }

  /** Missing for a database of which it is `undefined`. */
  perDatabase(name: string, help: string, valueOf: (one: ScrapedDatabase) => number | undefined): void {
    this.many({ name, help, labelNames: ['database'] }, ({ databases }) =>
      databases.flatMap((one): Sample[] => {
        const value = valueOf(one);
        return value === undefined ? [] : [[{ database: one.name }, value]];
      }),
    );
  }
}

/** What was read of the databases that answered. */
function statesOf({ databases }: ScrapedState): readonly DatabaseState[] {
  return databases.flatMap(({ state }) => state ?? []);
}

interface AboutGauge {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** A gauge without labels that is missing while its value is `undefined`. */
export function addReadGauge(
  registry: Registry,
  about: Pick<AboutGauge, 'name' | 'help'>,
  read: () => Promise<number | undefined>,
): void {
  const gauge: Gauge = new Gauge({
    ...about,
    registers: [registry],
    collect: async () => {
      const value = await read();
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    },
  });
}

export function addScrapedGauges(registry: Registry, state: () => Promise<ScrapedState>): void {
  const gauges = new ReadGauges(registry, state);
  gauges.perDatabase(
    'ringfence_database_reachable',
    'Whether the database could be read for this scrape. When it is 0, gauges that are read from it are missing.',
    ({ state }) => (state === undefined ? 0 : 1),
  );
  addEngineGauges(gauges);
  addDeliveryGauges(gauges);
  addStorageGauges(gauges);
  addAgeGauges(gauges);
}

function addEngineGauges(gauges: ReadGauges): void {
  gauges.perWorkspace('ringfence_engine_behind_records', 'Log records that are not decided yet.', (one) => one.behind);
  gauges.perWorkspace(
    'ringfence_engine_lag_seconds',
    'Age of the oldest undecided record.',
    ({ lagMs }) => lagMs / 1_000,
  );
  gauges.perWorkspace('ringfence_quarantined_records', 'Records in quarantine.', ({ quarantined }) => quarantined);
  gauges.perWorkspace(
    'ringfence_engine_paused',
    '1 if nothing is decided because this release rejects the active policy.',
    ({ paused }) => (paused === undefined ? 0 : 1),
  );
  gauges.many(
    {
      name: 'ringfence_model_stability_index',
      help: 'How far an input of a model, or its result (an empty input), was from its training on the last whole day.',
      labelNames: ['workspace', 'model', 'input'],
    },
    (state) =>
      statesOf(state)
        .flatMap(({ drifts }) => drifts)
        .flatMap(({ workspaceId: workspace, model, inputs }) =>
          inputs.map(({ input, index }): Sample => [{ workspace, model, input }, index]),
        ),
  );
  const info = { name: 'ringfence_workspace_info', help: 'Names of the workspaces, by id.' };
  gauges.many({ ...info, labelNames: ['workspace', 'name', 'environment'] }, (state) =>
    statesOf(state)
      .flatMap(({ workspaces }) => workspaces)
      .map(({ id, name, environment }): Sample => [{ workspace: id, name, environment }, 1]),
  );
}

function addDeliveryGauges(gauges: ReadGauges): void {
  gauges.perWorkspace(
    'ringfence_webhook_failing',
    '1 if the circuit breaker of the webhook is open, or the webhook is disabled.',
    ({ id }, { heldBack }) => Number(heldBack.failing.has(id)),
  );
  gauges.perWorkspace(
    'ringfence_deliveries_paused',
    '1 if a person paused all deliveries, of this workspace or of all.',
    ({ id }, { heldBack }) => Number(heldBack.paused.has(id)),
  );
  const held = (name: string, help: string, of: keyof HeldPayments): void =>
    gauges.perWorkspace(name, help, ({ id }, { holds }) => (holds.get(id) ?? noHolds)[of]);
  held('ringfence_holds_open', 'Payments that are held.', 'open');
  held('ringfence_holds_due', 'Held payments that end within 10 minutes without a decision.', 'due');
  held('ringfence_hold_resolutions_undelivered', 'Releases and rejections that the bank was not told.', 'undelivered');
  const reported = (name: string, help: string, of: keyof OpenOutcomes): void =>
    gauges.perWorkspace(name, help, ({ id }, { outcomes }) => (outcomes.get(id) ?? noOutcomes)[of]);
  reported('ringfence_outcomes_waiting', 'Reported outcomes that wait for their event.', 'waiting');
  reported('ringfence_outcomes_unmatched', 'Reported outcomes that are kept and match no event.', 'unmatched');
  const lost = (name: string, help: string, of: keyof LostDeliveries): void =>
    gauges.perWorkspace(name, help, ({ id }, known) => known.lost[of].get(id) ?? 0);
  lost('ringfence_deliveries_dead', 'Kept actions whose last attempt failed.', 'dead');
  lost('ringfence_deliveries_expired', 'Kept actions that became too old before they arrived.', 'expired');
  const notified = (name: string, help: string, valueOf: (one: WaitingMessages) => number): void =>
    gauges.many({ name, help, labelNames: ['kind'] }, (state) =>
      waitingOf(statesOf(state)).map((one): Sample => [{ kind: one.kind }, valueOf(one)]),
    );
  notified('ringfence_notifications_waiting', 'Messages of notifications to be sent.', ({ waiting }) => waiting);
  notified(
    'ringfence_notifications_oldest_seconds',
    'How long the oldest message of notifications has been due.',
    ({ oldestMs }) => oldestMs / 1_000,
  );
  notified('ringfence_notifications_dead', 'Kept messages of notifications that were not sent.', ({ dead }) => dead);
  const queue = { name: 'ringfence_deliveries', help: 'Actions in the outbox, by state.', labelNames: ['state'] };
  gauges.many(queue, (state) => {
    const known = statesOf(state);
    if (known.length === 0) return [];
    const counts = shownCounts(sumOf(known.map(({ deliveries }) => deliveries)));
    const states = new Set([...queuedStates, ...counts.keys()]);
    return Array.from(states, (queued): Sample => [{ state: queued }, counts.get(queued) ?? 0]);
  });
}

/** Numbers of several databases by the same names, added. */
export function sumOf(counts: readonly ReadonlyMap<string, number>[]): ReadonlyMap<string, number> {
  const sum = new Map<string, number>();
  for (const [name, count] of counts.flatMap((one) => [...one])) sum.set(name, (sum.get(name) ?? 0) + count);
  return sum;
}

/** Messages by kind, of all databases. */
function waitingOf(states: readonly DatabaseState[]): readonly WaitingMessages[] {
  const byKind = Map.groupBy(
    states.flatMap(({ notifications }) => notifications),
    ({ kind }) => kind,
  );
  return Array.from(byKind, ([kind, all]) => ({
    kind,
    waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
    oldestMs: Math.max(...all.map(({ oldestMs }) => oldestMs)),
    dead: all.reduce((sum, { dead }) => sum + dead, 0),
  }));
}

function addStorageGauges(gauges: ReadGauges): void {
  gauges.perDatabase('ringfence_database_bytes', 'Size of the database.', ({ storage }) => storage?.databaseBytes);
  gauges.many(
    {
      name: 'ringfence_table_bytes',
      help: 'Size of a table with its indexes and all its parts.',
      labelNames: ['database', 'table'],
    },
    ({ databases }) =>
      databases.flatMap(({ name: database, storage }) =>
        Array.from(storage?.tables ?? [], ([table, bytes]): Sample => [{ database, table }, bytes]),
      ),
  );
  gauges.perDatabase(
    'ringfence_disk_free_bytes',
    'Free space on the disk of the embedded database.',
    ({ storage }) => storage?.disk?.freeBytes,
  );
  gauges.perDatabase(
    'ringfence_disk_bytes',
    'Size of the disk of the embedded database.',
    ({ storage }) => storage?.disk?.sizeBytes,
  );
  const pool = (name: string, help: string, of: keyof PoolUse): void =>
    gauges.perDatabase(name, help, (one) => one.pool?.[of]);
  pool('ringfence_pool_busy', 'Database connections of the main thread in use.', 'busy');
  pool('ringfence_pool_limit', 'Database connections that the main thread may open.', 'limit');
  pool('ringfence_pool_waiting', 'Work of the main thread that waits for a database connection.', 'waiting');
}

function oldestRetention(states: readonly DatabaseState[]): number | undefined {
  return states.length === 0 ? undefined : Math.max(...states.map(({ retentionAgeMs }) => retentionAgeMs));
}

function streamsOf(state: ScrapedState): readonly StreamState[] {
  return joinStreams(statesOf(state).map(({ streams }) => streams));
}

function addAgeGauges(gauges: ReadGauges): void {
  gauges.one(
    'ringfence_audit_unsent_entries',
    'Entries of the audit log that the syslog server has not taken; 0 without such a server.',
    ({ databases }) => databases[0]?.state?.unsentAudit.waiting,
  );
  gauges.many(
    {
      name: 'ringfence_certificate_left_seconds',
      help: "Time until the certificate of a listener, or of a workspace's webhook, expires; negative if it has.",
      labelNames: ['listener', 'workspace', 'certificate'],
    },
    ({ certificatesLeft }) => certificatesLeft.map(({ labels, leftMs }): Sample => [{ ...labels }, leftMs / 1_000]),
  );
  const age = (name: string, help: string, ageMs: (state: ScrapedState) => number | undefined): void =>
    gauges.one(name, help, (state) => {
      const ms = ageMs(state);
      return ms === undefined ? undefined : ms / 1_000;
    });
  age(
    'ringfence_clock_ahead_seconds',
    'How far the clock of this machine is ahead of the time of the log, which is monotonic; negative if it is behind.',
    ({ clockAheadMs }) => clockAheadMs,
  );
  age(
    'ringfence_registry_age_seconds',
    'Time since this process last had current data on all workspaces and keys.',
    ({ threads }) => threads?.registryAgeMs,
  );
  age('ringfence_retention_age_seconds', 'Time since retention was last complete, in any process.', (state) =>
    oldestRetention(statesOf(state)),
  );
  age(
    'ringfence_audit_unsent_age_seconds',
    'Age of the oldest entry of the audit log that the syslog server has not taken; 0 without one.',
    ({ databases }) => databases[0]?.state?.unsentAudit.oldestMs,
  );
  gauges.many(
    {
      name: 'ringfence_stream_lag_seconds',
      help: 'How long something has waited to leave with a stream, beyond the interval of files; 0: nothing does.',
      labelNames: ['stream'],
    },
    (state) => streamsOf(state).map(({ name, lagMs }): Sample => [{ stream: name }, lagMs / 1_000]),
  );
  gauges.many(
    {
      name: 'ringfence_stream_lost',
      help: '1 if retention removed something that had not left with a stream, until it is rewound.',
      labelNames: ['stream'],
    },
    (state) => streamsOf(state).map(({ name, lostAtMs }): Sample => [{ stream: name }, lostAtMs === undefined ? 0 : 1]),
  );
  age(
    'ringfence_network_data_age_seconds',
    'Age of the oldest data used for IP address lookups.',
    ({ threads }) => threads?.networkDataAgeMs,
  );
}
