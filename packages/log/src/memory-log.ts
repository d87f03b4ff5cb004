import { assert, type EpochMs } from '@ringfence/contract';
import { clocksDifferMsMax, idempotencyKeptMs, rangeRecords } from './bounds.ts';
import { checkEntry, checkLimit, checkOffset, checkPartition } from './entry-checks.ts';
import {
  type Appended,
  type EventLog,
  type GrowthListener,
  type LogEntry,
  type LogHead,
  type LogRecord,
  LogUnavailableError,
  PartitionClosedError,
  StaleGenerationError,
  UnknownPartitionError,
} from './log.ts';

interface Partition {
  /** Nothing was appended since `beginLife`. */
  isOfAnotherLife: boolean;
  isClosed: boolean;
  epoch: number;
  start: number;
  logTimeMs: EpochMs;
  generation: number;
  /** Records from offset `start` on. */
  records: LogRecord[];
  readonly keys: Map<string, { readonly fingerprint: string; readonly offset: number; readonly logTimeMs: EpochMs }>;
}

/** The log in memory, for tests: fulfils the whole contract except surviving the process. */
export class MemoryLog implements EventLog {
  readonly #clock: () => EpochMs;
  readonly #rangeRecords: number;
  readonly #partitions = new Map<string, Partition>();
  readonly #listeners = new Set<GrowthListener>();
  #closed = false;

  constructor(options: { readonly clock: () => EpochMs; readonly rangeRecords?: number }) {
    this.#clock = options.clock;
    this.#rangeRecords = options.rangeRecords ?? rangeRecords;
  }

  async createPartition(partition: string): Promise<void> {
    checkPartition(partition);
    if (this.#partitions.has(partition)) return;
    const epoch = Math.floor(this.#clock() / 1000);
    const empty = { epoch, start: 0, logTimeMs: 0 as EpochMs, generation: 0, records: [], keys: new Map() };
    this.#partitions.set(partition, { ...empty, isOfAnotherLife: false, isClosed: false });
  }

  async append(partition: string, entry: LogEntry, generation?: number): Promise<Appended> {
    checkEntry(entry);
    const kept = this.#openToAppend(partition);
    if (generation !== undefined && generation !== kept.generation) throw new StaleGenerationError(partition);
    return this.#store(partition, entry);
  }

  async appendWith(
    partition: string,
    entry: LogEntry,
    inTransaction: (transaction: unknown) => Promise<void>,
  ): Promise<Appended> {
    checkEntry(entry);
    this.#openToAppend(partition);
    await inTransaction(undefined);
    return this.#store(partition, entry);
  }

  async appendFenced(
    partition: string,
    entry: LogEntry,
    inTransaction: (transaction: unknown) => Promise<void>,
  ): Promise<Appended> {
    const appended = await this.appendWith(partition, entry, inTransaction);
    if (appended.kind === 'appended') this.#open(partition).generation += 1;
    return appended;
  }

  async read(partition: string, fromOffset: number, limit: number): Promise<readonly LogRecord[]> {
    checkOffset(fromOffset);
    checkLimit(limit);
    const { start, records } = this.#open(partition);
    const first = Math.max(0, fromOffset - start);
    return records.slice(first, first + limit);
  }

  async head(partition: string): Promise<LogHead> {
    const { epoch, start, logTimeMs, generation, records } = this.#open(partition);
    return { epoch, start, end: start + records.length, logTimeMs, generation };
  }

  onAppend(listener: GrowthListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async dropBefore(partition: string, offset: number): Promise<number> {
    checkOffset(offset);
    const kept = this.#open(partition);
    const end = kept.start + kept.records.length;
    return startAt(kept, Math.floor(Math.min(offset, end) / this.#rangeRecords) * this.#rangeRecords);
  }

  async deleteBefore(partition: string, offset: number, limit: number): Promise<number> {
    checkOffset(offset);
    checkLimit(limit);
    const kept = this.#open(partition);
    return startAt(kept, Math.min(offset, kept.start + Math.min(limit, kept.records.length)));
  }

  async purgeKeys(): Promise<number> {
    const beforeMs = this.#clock() - clocksDifferMsMax;
    let forgotten = 0;
    for (const { keys, logTimeMs } of this.#partitions.values()) {
      for (const [key, one] of keys) {
        if (one.logTimeMs + idempotencyKeptMs > Math.max(beforeMs, logTimeMs)) continue;
        keys.delete(key);
        forgotten += 1;
      }
    }
    return forgotten;
  }

  /** Refuses entries of this partition from now on. */
  closePartition(partition: string): void {
    this.#open(partition).isClosed = true;
  }

  /** Simulates a restore or a failover of the database. */
  beginLife(): void {
    for (const kept of this.#partitions.values()) kept.isOfAnotherLife = true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
  }

  #open(partition: string): Partition {
    if (this.#closed) throw new LogUnavailableError('the log is closed');
    const kept = this.#partitions.get(partition);
    if (kept === undefined) throw new UnknownPartitionError(partition);
    return kept;
  }

  /** After a failover, assigns a new epoch and a generation that no process can have used before. */
  #openToAppend(partition: string): Partition {
    const kept = this.#open(partition);
    if (kept.isClosed) throw new PartitionClosedError(partition);
    if (!kept.isOfAnotherLife) return kept;
    const nowMs = this.#clock();
    kept.epoch = Math.max(kept.epoch + 1, Math.floor(nowMs / 1000));
    kept.generation = Math.max(kept.generation + 1, nowMs);
    kept.isOfAnotherLife = false;
    return kept;
  }

  #store(partition: string, entry: LogEntry): Appended {
    const kept = this.#open(partition);
    const logTimeMs = Math.max(kept.logTimeMs, this.#clock()) as EpochMs;
    const offset = kept.start + kept.records.length;
    const earlier = this.#lookUp(kept, entry, logTimeMs);
    if (earlier === 'conflict') return { kind: 'conflict' };

    const { kind, subject } = entry;
    const { epoch } = kept;
    kept.records.push({
      offset,
      epoch,
      logTimeMs,
      kind,
      subject,
      retryOf: earlier,
      payload: Uint8Array.from(entry.payload),
    });
    kept.logTimeMs = logTimeMs;
    if (entry.idempotency !== undefined && earlier === undefined) {
      const fingerprint = hex(entry.idempotency.fingerprint);
      kept.keys.set(hex(entry.idempotency.key), { fingerprint, offset, logTimeMs });
    }
    for (const listener of this.#listeners) queueMicrotask(() => listener(partition, offset + 1));
    const appended = { kind: 'appended', offset, epoch, logTimeMs } as const;
    return earlier === undefined ? appended : { ...appended, retryOf: earlier };
  }

  /** The offset of the first entry with this key, if there is one. */
  #lookUp(kept: Partition, entry: LogEntry, logTimeMs: EpochMs): number | undefined | 'conflict' {
    if (entry.idempotency === undefined) return undefined;
    const earlier = kept.keys.get(hex(entry.idempotency.key));
    if (earlier === undefined || earlier.logTimeMs + idempotencyKeptMs <= logTimeMs) return undefined;
    assert(earlier.offset < kept.start + kept.records.length, 'a key was stored with its entry');
    return earlier.fingerprint === hex(entry.idempotency.fingerprint) ? earlier.offset : 'conflict';
  }
}

function startAt(kept: Partition, start: number): number {
  if (start > kept.start) {
    kept.records = kept.records.slice(start - kept.start);
    kept.start = start;
  }
  return kept.start;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
