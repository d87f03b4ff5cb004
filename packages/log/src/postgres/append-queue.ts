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

/** A place in the queue. */
interface Place {
  readonly waiting: Waiting;
  /** Of the entry's idempotency key, in its partition. */
  readonly key: string | undefined;
}

/** Appends in the order in which they came, bounded in number, bytes and age. Reads no clock and sets no timer. */
export class AppendQueue {
  #places: Place[] = [];
  #bytes = 0;

  get size(): number {
    return this.#places.length;
  }

  /** False when it is full: then the entry was not taken. */
  add(waiting: Waiting): boolean {
    const bytes = waiting.entry.payload.byteLength;
    if (this.#places.length >= queueEntriesMax || this.#bytes + bytes > queueBytesMax) return false;
    this.#places.push({ waiting, key: keyOf(waiting) });
    this.#bytes += bytes;
    return true;
  }

  /**
   * Takes the next batch off. It holds an idempotency key at most once: the second entry waits for the next batch,
   * where it finds the first one stored. What came after it need not wait: a sender of one key must not make the
   * batches of all others small.
   */
  takeBatch(): readonly Waiting[] {
    const keys = new Set<string>();
    const batch: Waiting[] = [];
    const left: Place[] = [];
    let bytes = 0;
    let index = 0;
    for (; index < this.#places.length && batch.length < batchEntriesMax; index++) {
      const place = this.#places[index]!;
      if (place.key !== undefined && keys.has(place.key)) {
        left.push(place);
        continue;
      }
      const { byteLength } = place.waiting.entry.payload;
      if (batch.length > 0 && bytes + byteLength > batchBytesMax) break;
      bytes += byteLength;
      batch.push(place.waiting);
      if (place.key !== undefined) keys.add(place.key);
    }
    this.#places = left.concat(this.#places.slice(index));
    this.#bytes -= bytes;
    return batch;
  }

  /** Takes off what has waited too long to be sent. */
  takeExpired(nowMs: number): readonly Waiting[] {
    const fresh = this.#places.findIndex(({ waiting }) => nowMs - waiting.sinceMs <= queuedMsMax);
    const expired = this.#places.splice(0, fresh === -1 ? this.#places.length : fresh);
    return expired.map(({ waiting }) => {
      this.#bytes -= waiting.entry.payload.byteLength;
      return waiting;
    });
  }
}

function keyOf({ partition, entry: { idempotency } }: Waiting): string | undefined {
  return idempotency && `${partition}/${Buffer.from(idempotency.key).toString('hex')}`;
}
