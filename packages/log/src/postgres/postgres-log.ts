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
import { adopt } from './adoption.ts';
import { appendInTransaction, type AppendWith } from './append-in-transaction.ts';
import { purgeKeys } from './key-purge.ts';
import { Notifications } from './notifications.ts';
import { PlacedReader } from './placed-reader.ts';
import { deleteRecords, dropRanges, readRecords } from './ranges.ts';
import { RecordWriter } from './record-writer.ts';
import { StoreScan } from './store-scan.ts';
import { type RecordStoreUse, sweepStore } from './store-use.ts';
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
  /** Where bytes are kept, instead of in PostgreSQL. */
  readonly records?: RecordStoreUse | undefined;
}

type TransactionWork = AppendWith['inTransaction'];

/** The log in PostgreSQL 15 or newer, in the tables of `logSchema`. Several processes may use it concurrently. */
export class PostgresLog implements EventLog {
  /** Also for other listeners in this process. Closed with the log. */
  readonly notifications: Notifications;
  readonly #options: PostgresLogOptions;
  readonly #announcer: Announcer;
  readonly #placed: PlacedReader;
  /** Resolves once the id of this log is known; `undefined`: not asked yet, or no store. */
  #logId: Promise<Buffer> | undefined;
  #writer: RecordWriter | undefined;
  #opening: Promise<void> | undefined;
  #appender: Appender | undefined;
  #watcher: Watcher | undefined;
  #closed = false;

  constructor(options: PostgresLogOptions) {
    this.#options = options;
    this.notifications = new Notifications(options.connection);
    this.#announcer = new Announcer(options.pool, logChannel);
    this.#placed = new PlacedReader(options.records?.store);
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
    this.#checkOpen();
    if (this.#options.records?.writes === true && this.#writer === undefined) await this.#openWriter();
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
    const { records, pool, clock } = this.#options;
    if (records !== undefined) await this.#adopt([partition], []);
    if (records?.writes === true && this.#writer === undefined) await this.#openWriter();
    // Changes by people stay with what they change; an erasure must not be lost where an event is found again.
    const writer = entry.kind === 'erase' && append.raisesGeneration ? this.#writer : undefined;
    const appended = await appendInTransaction({ pool, clock, writer }, append);
    if (appended.kind === 'appended') this.#tell(partition, appended.offset + 1);
    return appended;
  }

  async read(partition: string, fromOffset: number, limit: number): Promise<readonly LogRecord[]> {
    checkPartition(partition);
    checkOffset(fromOffset);
    checkLimit(limit);
    this.#checkOpen();
    return readRecords({ pool: this.#options.pool, placed: this.#placed }, { partition, fromOffset, limit });
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

  /** Removes from the store what the log has dropped, as far as no partition needs it. */
  async sweepStore(): Promise<void> {
    this.#checkOpen();
    const { records, pool } = this.#options;
    if (records !== undefined) await sweepStore(pool, records.store);
  }

  /** Whether new entries go into a store. */
  get putsIntoStore(): boolean {
    return this.#options.records?.writes === true;
  }

  /** Frames of blocks as they are stored, with those in the store fetched. */
  get placed(): PlacedReader {
    return this.#placed;
  }

  /** Whether a part of the store did not answer lately, so that PostgreSQL stores the bytes. */
  get isStoreDegraded(): boolean {
    return this.#writer?.isDegraded ?? false;
  }

  async close(): Promise<void> {
    this.#closed = true;
    // Appends that wait for it were accepted.
    await this.#opening?.catch(() => {});
    await this.#appender?.close();
    this.#watcher?.close();
    await this.notifications.close();
    await this.#announcer.close();
    await this.#options.records?.close?.();
  }

  #openAppender(): Appender {
    this.#appender ??= new Appender({
      connection: this.#options.connection,
      clock: this.#options.clock,
      monotonicMs: this.#options.monotonicMs ?? (() => performance.now()),
      onCommit: (partition, end, block) => this.#tell(partition, end, block),
      writer: this.#writer,
      adopt: this.#options.records && ((partitions, except) => this.#adopt(partitions, except)),
    });
    return this.#appender;
  }

  #openWriter(): Promise<void> {
    const { records, monotonicMs = () => performance.now() } = this.#options;
    this.#opening ??= this.#readLogId().then(
      (logId) => {
        this.#writer = new RecordWriter({
          store: records!.store,
          logId,
          begin: (...at) => this.#beginPlace(...at),
          monotonicMs,
        });
      },
      (cause: unknown) => {
        this.#opening = undefined;
        throw new LogUnavailableError('the id of the log cannot be read; the entry was not stored', { cause });
      },
    );
    return this.#opening;
  }

  async #beginPlace(partition: string, place: number): Promise<void> {
    await this.#options.pool.query(
      `INSERT INTO log_place (number, store_partition, floor, floor_end, floor_at_ms, next_floor, next_end, next_at_ms)
       SELECT p.number, $2::integer, f.floor, p.end_offset, $3::bigint, f.floor, p.end_offset, $3::bigint
         FROM log_partition p,
              (SELECT coalesce(max(floor), 0) AS floor FROM log_place WHERE store_partition = $2::integer) f
        WHERE p.partition = $1 ON CONFLICT DO NOTHING`,
      [partition, place, this.#options.clock()],
    );
  }

  #readLogId(): Promise<Buffer> {
    this.#logId ??= this.#query<{ id: Buffer }>('SELECT uuid_send(id) AS id FROM log_store', []).then(
      ([row]) => row!.id,
      (error: unknown) => {
        this.#logId = undefined;
        throw error;
      },
    );
    return this.#logId;
  }

  /** Does nothing to a partition whose life has begun. */
  async #adopt(partitions: readonly string[], except: readonly Buffer[]): Promise<void> {
    const { pool, clock, records } = this.#options;
    const lifeless = await this.#query<{ partition: string }>(
      `SELECT partition FROM log_partition p WHERE partition = ANY ($1) AND life <> log_life()
          AND EXISTS (SELECT FROM log_place l WHERE l.number = p.number)
        ORDER BY (SELECT min(floor) FROM log_place l WHERE l.number = p.number), 1`,
      [partitions],
    );
    if (lifeless.length === 0) return;
    const logId = await this.#readLogId();
    const { store, adopt: hook, onAdopted } = records!;
    const scan = new StoreScan(store, logId);
    for (const { partition } of lifeless) {
      const grown = await adopt({ pool, scan, clock, hook, onAdopted }, partition, except);
      if (grown !== undefined) this.#tell(...grown);
    }
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
