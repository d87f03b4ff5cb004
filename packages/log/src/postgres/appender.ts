import type { EpochMs } from '@ringfence/contract';
import type { Client, ClientConfig } from 'pg';
import { appendMsMax, batchMsMax } from '../bounds.ts';
import { type Appended, type GrowthListener, type LogEntry, LogUnavailableError } from '../log.ts';
import { type AppendRow, appendText, makeCall, settle } from './append-batch.ts';
import { AppendQueue, type Waiting } from './append-queue.ts';
import { rowsOf } from './rows.ts';
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
}

/**
 * Group commit: while one commit is under way, appends are queued; then they are sent together, in one statement that
 * is its own transaction.
 *
 *   append -> queue -> flight (one at a time) -> answered: stored | refused | unknown
 *
 * One flight, not two: entries keep their order, and larger batches cost the database less.
 */
export class Appender {
  readonly #options: AppenderOptions;
  readonly #queue = new AppendQueue();
  readonly #session: Session;
  #client: Client | undefined;
  #flight: { readonly batch: readonly Waiting[]; readonly sinceMs: number } | undefined;
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
    return this.#queue.size === 0 && this.#flight === undefined;
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
    const client = this.#client;
    if (client === undefined || this.#flight !== undefined) return;
    const batch = this.#queue.takeBatch();
    if (batch.length === 0) return;
    const flight = { batch, sinceMs: this.#options.monotonicMs() };
    this.#flight = flight;
    const call = makeCall(batch, this.#options.clock());
    rowsOf<AppendRow>(client, { name: 'log_append', text: appendText, values: call.values }).then(
      (rows) => {
        if (this.#flight !== flight) return;
        this.#flight = undefined;
        // Sends the waiting entries first: the database stores them while the answered callers write their responses.
        if (this.#queue.size >= entriesOfEarlyFlight) this.#pump();
        for (const grown of settle(call, rows)) this.#options.onCommit(...grown);
        this.#landed();
      },
      (cause: unknown) => {
        if (this.#flight !== flight) return;
        this.#failFlight(new LogUnavailableError('the database did not store the entry', { cause }));
      },
    );
  }

  #failFlight(error: LogUnavailableError): void {
    for (const waiting of this.#flight?.batch ?? []) waiting.reject(error);
    this.#flight = undefined;
    this.#landed();
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
    const { batch = [], sinceMs = nowMs } = this.#flight ?? {};
    for (const waiting of batch) {
      if (nowMs - waiting.sinceMs < appendMsMax) continue;
      waiting.reject(new LogUnavailableError('the commit took too long; whether the entry was stored is unknown'));
    }
    if (nowMs - sinceMs >= batchMsMax) this.#session.drop();
    if (!this.#idle) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
    this.#closed?.();
  }
}
