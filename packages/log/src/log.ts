import type { EpochMs } from '@ringfence/contract';

/** The kinds of records. Ingest appends events; all others are directives that change how the engine behaves. */
export type RecordKind =
  | 'login'
  | 'logout'
  | 'operation'
  | 'policy'
  | 'settings'
  | 'engine'
  | 'tick'
  | 'unblock'
  | 'erase'
  | 'outcome'
  | 'label'
  | 'list'
  | 'suppress'
  | 'held'
  | 'report'
  | 'hold';

/** An entry to append. */
export interface LogEntry {
  readonly kind: RecordKind;
  /** Random id of the client that the entry is about; `undefined` for none. */
  readonly subject?: string;
  /** Encrypted for events, plain JSON for the rest. At most 128 KiB. */
  readonly payload: Uint8Array;
  /**
   * A hashed `Idempotency-Key`, and a fingerprint of the body. Kept 24 h; looked up and stored in the append's own
   * transaction.
   */
  readonly idempotency?: { readonly key: Uint8Array; readonly fingerprint: Uint8Array };
  /**
   * Kept only in a record store, and given back to the hook that adopts the entry after a restore or a failover: what the
   * entry needs and the database may have lost. At most 4 KiB.
   */
  readonly attachment?: Uint8Array;
}

export type Appended =
  | {
      readonly kind: 'appended';
      readonly offset: number;
      /** The epoch at the time of the append. */
      readonly epoch: number;
      readonly logTimeMs: EpochMs;
      /**
       * The offset of the first entry with the same idempotency key and fingerprint. The retry is in the log as well.
       */
      readonly retryOf?: number;
    }
  /** The same key was used before with another fingerprint: nothing was appended. */
  | { readonly kind: 'conflict' };

export interface LogRecord {
  readonly offset: number;
  /** The epoch at the time of the append: part of the ids of this record's effects, also after a restore. */
  readonly epoch: number;
  readonly logTimeMs: EpochMs;
  readonly kind: RecordKind;
  readonly subject: string | undefined;
  readonly retryOf: number | undefined;
  readonly payload: Uint8Array;
}

/** Records with consecutive offsets that were appended together, in the form in which they are stored. */
export interface StoredBlock {
  readonly firstOffset: number;
  readonly epoch: number;
  readonly logTimeMs: EpochMs;
  /** Only for a block of one record. */
  readonly retryOf: number | undefined;
  /** The entries in the format of entry-frames.ts. */
  readonly frames: Uint8Array<ArrayBuffer>;
}

export interface LogHead {
  /** Identifies the present life of the log: renewed at restore, failover or a move. Grows; never used twice. */
  readonly epoch: number;
  /** The first offset that is still kept. */
  readonly start: number;
  /** The offset of the next record. */
  readonly end: number;
  readonly logTimeMs: EpochMs;
  /** Grows with every `appendFenced`, and with the first append after a failover of the database. */
  readonly generation: number;
}

/**
 * @param end the offset behind the last record known to exist
 * @param block makes a copy of the last records, up to `end`; only if this process appended them, and not always then
 * @returns `true` if the records were brought to the thread that reads them, so that others may learn of them a little later
 */
export type GrowthListener = (partition: string, end: number, block?: () => StoredBlock) => unknown;

/**
 * An append-only, ordered, durable list of records per partition (one workspace is one partition).
 *
 * Offsets are dense and start at 0; commit order is offset order, so no reader skips a late commit. `logTimeMs` never
 * decreases. Every implementation passes `logConformance`, which tests all guarantees.
 */
export interface EventLog {
  /** Creates an empty partition with a new epoch. Does nothing when it exists. */
  createPartition(partition: string): Promise<void>;

  /**
   * Resolves only once the entry survives a crash. Concurrent calls, of all partitions, share commits. Those of one
   * partition are stored in the order of the calls, except that others may overtake an entry while its idempotency key
   * is still being appended.
   *
   * @param generation the generation under which the entry was encrypted. When the partition has moved on, nothing is
   *   appended and `StaleGenerationError` is thrown: encrypt again and retry
   * @throws LogUnavailableError when the append failed; whether the entry was stored is then unknown
   * @throws PartitionClosedError when the partition is closed, also from the other appends
   */
  append(partition: string, entry: LogEntry, generation?: number): Promise<Appended>;

  /**
   * Appends one entry and runs `inTransaction` in the same commit: both or neither. Nothing is appended if it throws. For
   * callers that record elsewhere what is in the log.
   */
  appendWith(
    partition: string,
    entry: LogEntry,
    inTransaction: (transaction: unknown) => Promise<void>,
  ): Promise<Appended>;

  /**
   * The same, and raises the generation: for changes that must not be interleaved with entries encrypted before them (the
   * erasure of a client's key).
   */
  appendFenced(
    partition: string,
    entry: LogEntry,
    inTransaction: (transaction: unknown) => Promise<void>,
  ): Promise<Appended>;

  /** Records from `fromOffset` on, in order, at most `limit` (1 to 10,000). Empty at the end of the log. */
  read(partition: string, fromOffset: number, limit: number): Promise<readonly LogRecord[]>;

  /** @throws UnknownPartitionError */
  head(partition: string): Promise<LogHead>;

  /** Calls the listener soon after a commit of any process, at the latest after 1 s. May call too often. */
  onAppend(listener: GrowthListener): () => void;

  /** Drops whole ranges that end at or before `offset`; the remaining records stay readable. Returns the new start. */
  dropBefore(partition: string, offset: number): Promise<number>;

  /**
   * Removes records before `offset` one by one, oldest first, at most `limit` of them (1 to 10,000). For ranges that
   * take long to fill. Returns the new start.
   */
  deleteBefore(partition: string, offset: number, limit: number): Promise<number>;

  /** Deletes expired idempotency keys of all partitions, even those without new records. Returns how many. */
  purgeKeys(): Promise<number>;

  close(): Promise<void>;
}

/** The log could not store an entry, or did not confirm it. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
}

export class StaleGenerationError extends Error {
  override readonly name = 'StaleGenerationError';
}

/** The partition goes on in another database: nothing was appended here, and nothing will be. */
export class PartitionClosedError extends Error {
  override readonly name = 'PartitionClosedError';
}

export class UnknownPartitionError extends Error {
  override readonly name = 'UnknownPartitionError';
}

/** What was appended is gone, and the message names it. */
export class RecordsLostError extends Error {
  override readonly name = 'RecordsLostError';
}
