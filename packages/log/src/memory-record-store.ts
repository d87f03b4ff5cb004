import { setTimeout as sleep } from 'node:timers/promises';
import { type RecordStore, type StoredBytes, StoreUnavailableError } from './record-store.ts';

/** How the store fails, for tests. */
export interface StoreFaults {
  /** Nothing is stored and nothing answers with success. */
  isStopped: boolean;
  /** The time until a put is stored and answered. */
  putMs: number;
  /** The time until a stored put is answered. */
  answerMs: number;
  /** Every put is stored twice. */
  isDoubling: boolean;
}

/** The store in memory, for tests: fulfils the whole contract except surviving the process. */
export class MemoryRecordStore implements RecordStore {
  readonly partitions: number;
  readonly bytesMax: number;
  readonly faults: StoreFaults = { isStopped: false, putMs: 0, answerMs: 0, isDoubling: false };
  readonly #stored: (Buffer | undefined)[][];

  constructor({ partitions = 2, bytesMax = 8 * 1024 * 1024 } = {}) {
    this.partitions = partitions;
    this.bytesMax = bytesMax;
    this.#stored = Array.from({ length: partitions }, () => []);
  }

  async put(partition: number, bytes: Uint8Array): Promise<number> {
    const copy = Buffer.from(bytes);
    const { putMs, answerMs } = this.faults;
    if (putMs > 0) await sleep(putMs);
    this.#checkStopped();
    const stored = this.#stored[partition]!;
    const offset = stored.push(copy) - 1;
    if (this.faults.isDoubling) stored.push(Buffer.from(copy));
    if (answerMs > 0) await sleep(answerMs);
    this.#checkStopped();
    return offset;
  }

  async get(partition: number, offsets: readonly number[]): Promise<ReadonlyMap<number, Buffer>> {
    this.#checkStopped();
    const stored = this.#stored[partition] ?? [];
    const found = offsets.flatMap((offset) => {
      const bytes = stored[offset];
      return bytes === undefined ? [] : [[offset, Buffer.from(bytes)] as const];
    });
    return new Map(found);
  }

  async *after(partition: number, offset: number): AsyncGenerator<StoredBytes> {
    this.#checkStopped();
    for (const [at, bytes] of [...this.#stored[partition]!.entries()].slice(offset)) {
      if (bytes !== undefined) yield { offset: at, bytes: Buffer.from(bytes) };
    }
  }

  async dropBefore(partition: number, offset: number): Promise<void> {
    this.#checkStopped();
    this.#stored[partition]!.fill(undefined, 0, offset);
  }

  async close(): Promise<void> {}

  /** Of one partition. */
  sizeOf(partition: number): number {
    return this.#stored[partition]!.filter((bytes) => bytes !== undefined).length;
  }

  /** Flips one bit. */
  corrupt(partition: number, offset: number): void {
    const bytes = this.#stored[partition]![offset]!;
    bytes[bytes.length >> 1]! ^= 1;
  }

  /** Loses what is at `offset` and after, as a cluster that acknowledged too early. */
  loseFrom(partition: number, offset: number): void {
    this.#stored[partition]!.length = Math.min(offset, this.#stored[partition]!.length);
  }

  #checkStopped(): void {
    if (this.faults.isStopped) throw new StoreUnavailableError('the store is stopped');
  }
}
