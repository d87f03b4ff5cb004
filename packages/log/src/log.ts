import type { EpochMs } from '@ringfence/contract';

/** What a record is. Events come from the door; all others change how the engine behaves. */
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
  | 'held';

/** One thing to append. */
export interface LogEntry {
  readonly kind: RecordKind;
  /** Random id of the client that it speaks of; `undefined` for none. */
  readonly subject?: string;
  /** Sealed for events, plain JSON for the rest. At most 128 KiB. */
  readonly payload: Uint8Array;
  /**
   * An `Idempotency-Key`, hashed, and a fingerprint of the body. Kept 24 h; looked up and stored in the append's
   * own transaction.
   */
  readonly idempotency?: { readonly key: Uint8Array; readonly fingerprint: Uint8Array };
}

export type Appended =
  | {
      readonly kind: 'appended';
      readonly offset: number;
      /** The epoch in force when it was appended. */
      readonly epoch: number;
      readonly logTimeMs: EpochMs;
      /** The offset of the first entry with the same idempotency key and fingerprint. The retry is in the log as well. */
      readonly retryOf?: number;
    }
  /** The same key came before with another fingerprint: nothing was appended. */
  | { readonly kind: 'conflict' };

export interface LogRecord {
  readonly offset: number;
  /** The epoch in force when it was appended: it names the effects of this record, also after a restore. */
  readonly epoch: number;
  readonly logTimeMs: EpochMs;
  readonly kind: RecordKind;
  readonly subject: string | undefined;
  readonly retryOf: number | undefined;
  readonly payload: Uint8Array;
}

export interface LogHead {
  /** Names this life of the log: renewed at restore, fail-over or a move. Grows; never used twice. */
  readonly epoch: number;
  /** First offset still kept. */
  readonly start: number;
  /** The offset that the next record will get. */
  readonly end: number;
  readonly logTimeMs: EpochMs;
  /** Grows with every `appendFenced`, and with the first append of a new life of the database. */
  readonly generation: number;
}

/** @param end the offset behind the last record that is known to be there */
export type GrowthListener = (partition: string, end: number) => void;

/**
 * An append-only, ordered, durable list of records per partition (one workspace is one partition).
 *
 * Offsets are dense and begin at 0; commit order is offset order, so no reader skips a late commit. `logTimeMs`
 * never falls from one record to the next. Every implementation passes `logConformance`; a promise that is not
 * tested there is not made.
 */
export interface EventLog {
  /** Makes an empty partition, with a fresh epoch. Nothing happens when it exists. */
  createPartition(partition: string): Promise<void>;

  /**
   * Resolves only once the entry survives a crash. Concurrent calls, of all partitions, share commits; those of one
   * partition are stored in the order in which they came, but an entry whose idempotency key waits already lets
   * others go first.
   *
   * @param generation the generation under which the entry was sealed; when the partition has moved on, nothing is
   *   appended and `StaleGenerationError` is thrown: seal again and retry
   * @throws LogUnavailableError when the log cannot take it; whether it was stored is then unknown
   */
  append(partition: string, entry: LogEntry, generation?: number): Promise<Appended>;

  /**
   * Appends one entry, raises the generation, and runs `inTransaction` in the same commit: for what must not be
   * interleaved with appends that were sealed before it (the erasure of a client's key).
   */
  appendFenced(
    partition: string,
    entry: LogEntry,
    inTransaction: (transaction: unknown) => Promise<void>,
  ): Promise<Appended>;

  /** Records at `fromOffset` and after, in order, at most `limit` (1 to 10,000). Empty at the end of the log. */
  read(partition: string, fromOffset: number, limit: number): Promise<readonly LogRecord[]>;

  /** @throws UnknownPartitionError */
  head(partition: string): Promise<LogHead>;

  /** Calls back soon after a commit of any process. May call too often, never too seldom for long (1 s). */
  onAppend(listener: GrowthListener): () => void;

  /** Drops whole ranges that end at or before `offset`; what is kept stays readable. Returns the new start. */
  dropBefore(partition: string, offset: number): Promise<number>;

  /**
   * Removes records before `offset` one by one, the oldest first, at most `limit` of them (1 to 10,000): for a range
   * that takes long to fill. Returns the new start.
   */
  deleteBefore(partition: string, offset: number, limit: number): Promise<number>;

  /** Forgets idempotency keys that are no longer kept, of all partitions, also those of which nothing more comes. Returns how many. */
  purgeKeys(): Promise<number>;

  close(): Promise<void>;
}

/** The log could not take an entry, or did not say that it did. */
export class LogUnavailableError extends Error {
  override readonly name = 'LogUnavailableError';
}

export class StaleGenerationError extends Error {
  override readonly name = 'StaleGenerationError';
}

export class UnknownPartitionError extends Error {
  override readonly name = 'UnknownPartitionError';
}
