import type { EpochMs } from '@ringfence/contract';
import type { Client, ClientConfig } from 'pg';
import { appendMsMax, batchMsMax } from '../bounds.ts';
import { type Appended, type GrowthListener, type LogEntry, LogUnavailableError } from '../log.ts';
import {
  type AppendCall,
  type AppendRow,
  type Group,
  groupsOf,
  makeCall,
  type Refused,
  settle,
} from './append-batch.ts';
import { AppendQueue, type Waiting } from './append-queue.ts';
import { notAdopted } from '../placed-schema.ts';
import type { RecordWriter } from './record-writer.ts';
import { rowsOf, sqlStateOf } from './rows.ts';
import { Session } from './session.ts';

/** How often deadlines are checked; together with `appendMsMax` below the 2 s guaranteed to callers. */
const sweepEveryMs = 100;

/**
 * With this many entries a batch is sent in the middle of a turn of the event loop; fewer wait for its end. A turn that
 * reads many requests is long, and the database can store the first half while the second is parsed. Smaller batches
 * would cost more than the overlap gains: a third of a millisecond each, compared to 8 microseconds per entry.
 */
const entriesOfEarlyFlight = 32;

/** The server gives up a batch before we give up the connection. */
const sessionSettings = [
  "SET statement_timeout = '1500ms'",
  "SET lock_timeout = '1200ms'",
  'SET synchronous_commit = on',
  'SET jit = off',
];

export interface AppenderOptions {
  readonly connection: ClientConfig;
  /** The log's time. */
  readonly clock: () => EpochMs;
  /** For deadlines: a monotonic clock. */
  readonly monotonicMs: () => number;
  /** Called after each commit, for each partition that grew. */
  readonly onCommit: GrowthListener;
  /** Puts the bytes of appends into a store. */
  readonly writer?: RecordWriter | undefined;
  /**
   * Called when the database has begun a new life, before the first append to these partitions.
   *
   * @param except ids of appends that this process has put and will append itself
   */
  readonly adopt?: ((partitions: readonly string[], except: readonly Buffer[]) => Promise<void>) | undefined;
}

interface Flight {
  readonly batch: readonly Waiting[];
  /** `undefined` while the bytes are put into the store. */
  groups: readonly Group[] | undefined;
  /** When it was sent to the database; `undefined` before that, and while a new life is prepared. */
  sentAtMs: number | undefined;
}

/**
 * Group commit: while one commit is under way, appends are queued; then they are sent together, in one statement that
 * is its own transaction.
 *
 *   append -> queue -> flight (one at a time) -> answered: stored | refused | unknown
 *
 * One flight, not two: entries keep their order, and larger batches cost the database less. With a store, the next
 * flight boards meanwhile: its bytes are put there, for at most 250 ms. The store and the database then work at the
 * same time, and the order is still that of the flights.
 */
export class Appender {
  readonly #options: AppenderOptions;
  readonly #queue = new AppendQueue();
  readonly #session: Session;
  #client: Client | undefined;
  #flight: Flight | undefined;
  /** The flight after it. */
  #boarding: Flight | undefined;
  /** Refusals whose verdict is on its way to the store. */
  #verdicts = 0;
  #pumping = false;
  #sweeper: NodeJS.Timeout | undefined;
  #closed: (() => void) | undefined;

  constructor(options: AppenderOptions) {
    this.#options = options;
    this.#session = new Session({
      connection: { ...options.connection, application_name: 'ringfence appender' },
      prepare: sessionSettings,
      onUp: (client) => {
        this.#client = client;
        this.#pumpSoon();
      },
      onDown: (cause) => {
        this.#client = undefined;
        this.#failFlight(
          new LogUnavailableError('the connection was lost; whether the entry was stored is unknown', { cause }),
        );
      },
    });
  }

  append(partition: string, entry: LogEntry, generation: number | undefined): Promise<Appended> {
    return new Promise((resolve, reject) => {
      const sinceMs = this.#options.monotonicMs();
      const waiting: Waiting = { partition, entry, generation, sinceMs, resolve, reject };
      if (this.#closed !== undefined) return reject(new LogUnavailableError('the log is closed'));
      if (!this.#queue.add(waiting)) return reject(new LogUnavailableError('too many appends are waiting'));
      this.#sweeper ??= setInterval(() => this.#sweep(), sweepEveryMs);
      if (this.#queue.size >= entriesOfEarlyFlight) this.#pump();
      this.#pumpSoon();
    });
  }

  /** Stores or refuses what is waiting, then closes the connection. Accepts no more. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#closed = resolve;
      if (this.#idle) resolve();
    });
    clearInterval(this.#sweeper);
    await this.#session.close();
  }

  get #idle(): boolean {
    return this.#queue.size === 0 && this.#boarding === undefined && this.#flight === undefined && this.#verdicts === 0;
  }

  /** After this turn of the event loop: callers answered by the last commit may then have appended again. */
  #pumpSoon(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    setImmediate(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  #pump(): void {
    const { writer } = this.#options;
    if (this.#client === undefined || this.#boarding !== undefined) return;
    // Where boarding takes no time, entries that wait for the flight make the next batch larger.
    if (this.#flight !== undefined && writer?.isDegraded !== false) return;
    const batch = this.#queue.takeBatch();
    if (batch.length === 0) return;
    const boarding: Flight = { batch, groups: undefined, sentAtMs: undefined };
    this.#boarding = boarding;
    const groups = groupsOf(batch);
    if (writer === undefined) return this.#depart(boarding, groups);
    void Promise.all(
      groups.map(async (group) => ({ ...group, placement: await writer.put(group.partition, group.waiting) })),
    ).then((placed) => {
      this.#depart(boarding, placed);
      this.#pumpSoon();
    });
  }

  /** The boarded flight leaves once the one before it has landed. */
  #depart(flight: Flight, groups: readonly Group[]): void {
    flight.groups = groups;
    if (this.#flight !== undefined || this.#boarding !== flight) return;
    this.#boarding = undefined;
    this.#flight = flight;
    this.#send(flight, groups);
  }

  #send(flight: Flight, groups: readonly Group[]): void {
    const client = this.#client;
    if (this.#flight !== flight) return;
    if (client === undefined) return this.#failFlight(new LogUnavailableError('the connection was lost'));
    flight.sentAtMs = this.#options.monotonicMs();
    const call = makeCall(groups, this.#options.clock());
    rowsOf<AppendRow>(client, call).then(
      (rows) => {
        if (this.#flight !== flight) return;
        this.#flight = undefined;
        // Sends the waiting entries first: the database stores them while the answered callers write their responses.
        this.#departNext();
        if (this.#queue.size >= entriesOfEarlyFlight) this.#pump();
        const { grown, refused } = settle(call, rows);
        for (const one of refused) this.#refuse(one);
        for (const one of grown) this.#options.onCommit(...one);
        this.#landed();
      },
      (cause: unknown) => {
        if (this.#flight !== flight) return;
        if (sqlStateOf(cause) === notAdopted) return this.#adopt(flight, call);
        this.#failFlight(new LogUnavailableError('the database did not store the entry', { cause }));
      },
    );
  }

  /** The first append in a new life: adopts what the store has, then sends the flight again. */
  #adopt(flight: Flight, { groups }: AppendCall): void {
    const { adopt } = this.#options;
    const failed = (cause: unknown): void => {
      if (this.#flight !== flight) return;
      this.#failFlight(new LogUnavailableError('records in the store were not adopted yet', { cause }));
    };
    if (adopt === undefined) return failed(new Error('this process has no store'));
    flight.sentAtMs = undefined;
    const except = groups.flatMap(({ placement }) => placement?.appendId ?? []);
    adopt(
      groups.map(({ partition }) => partition),
      except,
    ).then(() => this.#send(flight, groups), failed);
  }

  /** Answers once the store knows of the refusal, so that no later life of the database adopts these entries. */
  #refuse({ group, numbers, answer }: Refused): void {
    const { placement, partition, waiting } = group;
    if (placement?.appendId === undefined) return answer();
    this.#verdicts += 1;
    void this.#options
      .writer!.refuse(partition, placement, numbers)
      .then(answer, (error: Error) => numbers.forEach((number) => waiting[number]!.reject(error)))
      .finally(() => {
        this.#verdicts -= 1;
        if (this.#idle) this.#closed?.();
      });
  }

  #failFlight(error: LogUnavailableError): void {
    for (const waiting of this.#flight?.batch ?? []) waiting.reject(error);
    this.#flight = undefined;
    this.#departNext();
    this.#landed();
  }

  #departNext(): void {
    if (this.#boarding?.groups !== undefined) this.#depart(this.#boarding, this.#boarding.groups);
  }

  #landed(): void {
    if (this.#idle) this.#closed?.();
    this.#pumpSoon();
  }

  #sweep(): void {
    const nowMs = this.#options.monotonicMs();
    for (const waiting of this.#queue.takeExpired(nowMs)) {
      waiting.reject(new LogUnavailableError('the database did not accept the entry in time; it was not stored'));
    }
    for (const waiting of [this.#flight, this.#boarding].flatMap((flight) => flight?.batch ?? [])) {
      if (nowMs - waiting.sinceMs < appendMsMax) continue;
      waiting.reject(new LogUnavailableError('the commit took too long; whether the entry was stored is unknown'));
    }
    if (nowMs - (this.#flight?.sentAtMs ?? nowMs) >= batchMsMax) this.#session.drop();
    if (!this.#idle) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
    this.#closed?.();
  }
}
