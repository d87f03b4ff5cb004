import { batchBytesMax, batchEntriesMax, queueBytesMax, queuedMsMax, queueEntriesMax } from '../bounds.ts';
import type { Appended, LogEntry } from '../log.ts';

/** An append that waits for its commit. `resolve` and `reject` do nothing when the caller was answered already. */
export interface Waiting {
  readonly partition: string;
  readonly entry: LogEntry;
  readonly generation: number | undefined;
  /** Start of the wait, on a monotonic clock. */
  readonly sinceMs: number;
  resolve(appended: Appended): void;
  reject(error: Error): void;
}

/** A place in the queue. */
interface Place {
  readonly waiting: Waiting;
  /** The entry's idempotency key, in its partition. */
  readonly key: string | undefined;
}

/** Appends in order of arrival, bounded in number, bytes and age. Reads no clock and sets no timer. */
export class AppendQueue {
  #places: Place[] = [];
  #bytes = 0;

  get size(): number {
    return this.#places.length;
  }

  /** Returns false when the queue is full; the entry is then not added. */
  add(waiting: Waiting): boolean {
    const bytes = waiting.entry.payload.byteLength;
    if (this.#places.length >= queueEntriesMax || this.#bytes + bytes > queueBytesMax) return false;
    this.#places.push({ waiting, key: keyOf(waiting) });
    this.#bytes += bytes;
    return true;
  }

  /**
   * Removes and returns the next batch. It contains each idempotency key at most once: a second entry waits for the
   * next batch, where it finds the first one stored. Later entries may overtake it, so that a sender who uses one key
   * for everything does not make the batches of all others small.
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

  /** Removes and returns entries that have waited too long to be sent. */
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
