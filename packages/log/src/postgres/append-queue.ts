import { batchBytesMax, batchEntriesMax, queueBytesMax, queuedMsMax, queueEntriesMax } from '../bounds.ts';
import type { Appended, LogEntry } from '../log.ts';

/** An append that waits for its commit. `resolve` and `reject` do nothing when the caller was told already. */
export interface Waiting {
  readonly partition: string;
  readonly entry: LogEntry;
  readonly generation: number | undefined;
  /** Of a clock that never jumps. */
  readonly sinceMs: number;
  resolve(appended: Appended): void;
  reject(error: Error): void;
}

/** Appends in the order in which they came, bounded in number, bytes and age. Reads no clock and sets no timer. */
export class AppendQueue {
  #waiting: Waiting[] = [];
  #bytes = 0;

  get size(): number {
    return this.#waiting.length;
  }

  /** False when it is full: then the entry was not taken. */
  add(waiting: Waiting): boolean {
    const bytes = waiting.entry.payload.byteLength;
    if (this.#waiting.length >= queueEntriesMax || this.#bytes + bytes > queueBytesMax) return false;
    this.#waiting.push(waiting);
    this.#bytes += bytes;
    return true;
  }

  /**
   * Takes the next batch off. It holds an idempotency key at most once: the second entry waits for the next batch,
   * where it finds the first one stored.
   */
  takeBatch(): readonly Waiting[] {
    const keys = new Set<string>();
    let bytes = 0;
    let count = 0;
    for (const { partition, entry } of this.#waiting) {
      bytes += entry.payload.byteLength;
      if (count === batchEntriesMax || (count > 0 && bytes > batchBytesMax)) break;
      if (entry.idempotency !== undefined) {
        const key = `${partition}/${Buffer.from(entry.idempotency.key).toString('hex')}`;
        if (keys.has(key)) break;
        keys.add(key);
      }
      count += 1;
    }
    return this.#take(count);
  }

  /** Takes off what has waited too long to be sent. */
  takeExpired(nowMs: number): readonly Waiting[] {
    const fresh = this.#waiting.findIndex(({ sinceMs }) => nowMs - sinceMs <= queuedMsMax);
    return this.#take(fresh === -1 ? this.#waiting.length : fresh);
  }

  #take(count: number): readonly Waiting[] {
    const taken = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    for (const { entry } of taken) this.#bytes -= entry.payload.byteLength;
    return taken;
  }
}
