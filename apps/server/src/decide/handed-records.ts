import { type LogRecord, recordsOf, type StoredBlock } from '@ringfence/log';

/** Bytes of blocks that wait for one partition: some two seconds of events at full speed. */
const waitingBytesMax = 4 * 1024 * 1024;

/**
 * The newest records of a partition, handed over by the threads that appended them, after their commit: so they need not
 * be read from the database. Others append, too, and not every append hands its records over: what is missing is read.
 */
export class HandedRecords {
  /** In the order of their offsets. */
  readonly #blocks: StoredBlock[] = [];
  #bytes = 0;

  /** A block that finds no place is dropped. Blocks of several threads may arrive in another order. */
  add(block: StoredBlock): void {
    if (this.#bytes + block.frames.byteLength > waitingBytesMax) return;
    const before = this.#blocks.findLastIndex(({ firstOffset }) => firstOffset < block.firstOffset);
    this.#blocks.splice(before + 1, 0, block);
    this.#bytes += block.frames.byteLength;
  }

  /** Removes and returns records from `offset` on without a gap; none if the first is missing. Forgets earlier ones. */
  take(offset: number, most: number): readonly LogRecord[] {
    const records: LogRecord[] = [];
    for (let next = offset; records.length < most && this.#blocks.length > 0;) {
      const block = this.#blocks[0]!;
      if (block.firstOffset > next) break;
      const some = recordsOf(block).filter((record) => record.offset >= next);
      if (records.length > 0 && records.length + some.length > most) break;
      records.push(...some);
      next += some.length;
      this.#blocks.shift();
      this.#bytes -= block.frames.byteLength;
    }
    return records;
  }

  clear(): void {
    this.#blocks.length = 0;
    this.#bytes = 0;
  }
}
