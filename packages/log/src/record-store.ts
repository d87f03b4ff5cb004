/**
 * Where the bytes of the log may be kept: an append-only store in partitions, with its own offsets, that survives the
 * loss of any one machine. The order of the log, its fence and its idempotency keys stay in PostgreSQL, which notes the
 * place of every append.
 *
 * Every implementation passes `recordStoreConformance`.
 */
export interface RecordStore {
  /** Partitions are numbered from 0. 0: not yet known, and every put is refused. */
  readonly partitions: number;
  /** Most bytes of one `put`. */
  readonly bytesMax: number;

  /**
   * Resolves with the offset once the bytes survive the loss of one machine. May store a second copy.
   *
   * @throws StoreUnavailableError without a confirmation; the bytes may appear in the store later
   */
  put(partition: number, bytes: Uint8Array): Promise<number>;

  /**
   * What is stored at these offsets, which ascend. An offset whose bytes are gone is absent.
   *
   * @throws StoreUnavailableError
   */
  get(partition: number, offsets: readonly number[]): Promise<ReadonlyMap<number, Buffer>>;

  /**
   * Everything at `offset` and after, in order, to the end as of the call.
   *
   * @throws StoreUnavailableError
   */
  after(partition: number, offset: number): AsyncIterable<StoredBytes>;

  /** Removes what is before `offset`, now or later. */
  dropBefore(partition: number, offset: number): Promise<void>;

  close(): Promise<void>;
}

export interface StoredBytes {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** The store did not answer, or refused. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
  /** As of a database that cannot be reached: who reads the log waits, and tries again. */
  readonly code = 'ETIMEDOUT';
}
