import type { EpochMs } from '@ringfence/contract';
import type { ClientConfig, Pool } from 'pg';
import { rangeRecords } from '../bounds.ts';
import { checkEntry, checkLimit, checkOffset, checkPartition } from '../entry-checks.ts';
import {
  type Appended,
  type EventLog,
  type GrowthListener,
  type LogEntry,
  type LogHead,
  type LogRecord,
  LogUnavailableError,
  type StoredBlock,
  UnknownPartitionError,
} from '../log.ts';
import { Announcer } from './announcer.ts';
import { Appender } from './appender.ts';
import { appendInTransaction, type AppendWith } from './append-in-transaction.ts';
import { purgeKeys } from './key-purge.ts';
import { Notifications } from './notifications.ts';
import { deleteRecords, dropRanges, readRecords } from './ranges.ts';
import { growthPayload, logChannel, Watcher } from './watcher.ts';

export interface PostgresLogOptions {
  /** For the log's own connections, one for appends and one for notifications. Each is opened when first needed. */
  readonly connection: ClientConfig;
  /** For everything else. The caller closes it. */
  readonly pool: Pool;
  readonly clock: () => EpochMs;
  /** Milliseconds of a monotonic clock. */
  readonly monotonicMs?: () => number;
  /** For partitions created from now on. */
  readonly rangeRecords?: number;
}

type TransactionWork = AppendWith['inTransaction'];

/** The log in PostgreSQL 15 or newer, in the tables of `logSchema`. Several processes may use it concurrently. */
export class PostgresLog implements EventLog {
  /** Also for other listeners in this process. Closed with the log. */
  readonly notifications: Notifications;
  readonly #options: PostgresLogOptions;
  readonly #announcer: Announcer;
  #appender: Appender | undefined;
  #watcher: Watcher | undefined;
  #closed = false;

  constructor(options: PostgresLogOptions) {
    this.#options = options;
    this.notifications = new Notifications(options.connection);
    this.#announcer = new Announcer(options.pool, logChannel);
  }

  async createPartition(partition: string): Promise<void> {
    checkPartition(partition);
    await this.#query(
      `INSERT INTO log_partition (partition, range_records, epoch, life) VALUES ($1, $2, $3, log_life())
       ON CONFLICT (partition) DO NOTHING`,
      [partition, this.#options.rangeRecords ?? rangeRecords, Math.floor(this.#options.clock() / 1000)],
    );
  }

  async append(partition: string, entry: LogEntry, generation?: number): Promise<Appended> {
    checkPartition(partition);
    checkEntry(entry);
    return this.#openAppender().append(partition, entry, generation);
  }

  appendWith(partition: string, entry: LogEntry, inTransaction: TransactionWork): Promise<Appended> {
    return this.#appendInTransaction({ partition, entry, inTransaction, raisesGeneration: false });
  }

  appendFenced(partition: string, entry: LogEntry, inTransaction: TransactionWork): Promise<Appended> {
    return this.#appendInTransaction({ partition, entry, inTransaction, raisesGeneration: true });
  }

  async #appendInTransaction(append: AppendWith): Promise<Appended> {
    const { partition, entry } = append;
    checkPartition(partition);
    checkEntry(entry);
    this.#checkOpen();
    const appended = await appendInTransaction(this.#options, append);
    if (appended.kind === 'appended') this.#tell(partition, appended.offset + 1);
    return appended;
  }

  async read(partition: string, fromOffset: number, limit: number): Promise<readonly LogRecord[]> {
    checkPartition(partition);
    checkOffset(fromOffset);
    checkLimit(limit);
    this.#checkOpen();
    return readRecords(this.#options.pool, { partition, fromOffset, limit });
  }

  async head(partition: string): Promise<LogHead> {
    const [row] = await this.#query<Record<keyof LogHead, string>>(
      `SELECT epoch, start_offset AS start, end_offset AS "end", log_time_ms AS "logTimeMs", generation
         FROM log_partition WHERE partition = $1`,
      [partition],
    );
    if (row === undefined) throw new UnknownPartitionError(partition);
    return {
      epoch: Number(row.epoch),
      start: Number(row.start),
      end: Number(row.end),
      logTimeMs: Number(row.logTimeMs) as EpochMs,
      generation: Number(row.generation),
    };
  }

  /** The highest log time of all partitions; 0 without records. */
  async latestTimeMs(): Promise<EpochMs> {
    const [row] = await this.#query<{ ms: string | null }>('SELECT max(log_time_ms) AS ms FROM log_partition', []);
    return Number(row?.ms ?? 0) as EpochMs;
  }

  onAppend(listener: GrowthListener): () => void {
    this.#checkOpen();
    this.#watcher ??= new Watcher(this.notifications);
    return this.#watcher.add(listener);
  }

  async dropBefore(partition: string, offset: number): Promise<number> {
    checkPartition(partition);
    checkOffset(offset);
    this.#checkOpen();
    return dropRanges(this.#options.pool, partition, offset);
  }

  async deleteBefore(partition: string, offset: number, limit: number): Promise<number> {
    checkPartition(partition);
    checkOffset(offset);
    checkLimit(limit);
    this.#checkOpen();
    return deleteRecords(this.#options.pool, { partition, offset, limit });
  }

  async purgeKeys(): Promise<number> {
    this.#checkOpen();
    return purgeKeys(this.#options.pool, this.#options.clock());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#appender?.close();
    this.#watcher?.close();
    await this.notifications.close();
    await this.#announcer.close();
  }

  #openAppender(): Appender {
    this.#checkOpen();
    this.#appender ??= new Appender({
      connection: this.#options.connection,
      clock: this.#options.clock,
      monotonicMs: this.#options.monotonicMs ?? (() => performance.now()),
      onCommit: (partition, end, block) => this.#tell(partition, end, block),
    });
    return this.#appender;
  }

  /** Calls listeners of this process immediately, those of others a little later. */
  #tell(partition: string, end: number, block?: () => StoredBlock): void {
    const isBrought = this.#watcher?.tell(partition, end, block) ?? false;
    const payload = growthPayload(partition, end);
    if (isBrought) this.#announcer.announceLater(partition, payload);
    else this.#announcer.announce(partition, payload);
  }

  #checkOpen(): void {
    if (this.#closed) throw new LogUnavailableError('the log is closed');
  }

  async #query<Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> {
    this.#checkOpen();
    return (await this.#options.pool.query<Row>(text, [...values])).rows;
  }
}
