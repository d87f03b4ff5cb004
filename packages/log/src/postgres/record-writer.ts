import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { appendBytes, idBytes, type Sent, writeAppend, writeProbe, writeVerdict } from '../batch-message.ts';
import { probeEveryMs, putMsMax, verdictMsMax } from '../bounds.ts';
import { LogUnavailableError } from '../log.ts';
import { type RecordStore, StoreUnavailableError } from '../record-store.ts';

/** Where the bytes are of one append and one partition of the log. */
export type Placement =
  | PlacedAppend
  /** PostgreSQL stores the bytes. With `appendId`, a copy may be in the store, or appear there. */
  | { readonly kind: 'inline'; readonly appendId?: Buffer; readonly partition: number };

export interface PlacedAppend {
  readonly kind: 'placed';
  readonly partition: number;
  readonly offset: number;
  readonly appendId: Buffer;
  /** The numbers of the entries in the message, from 0; all of them if absent. Ascending. */
  readonly numbers?: readonly number[];
}

export interface RecordWriterOptions {
  readonly store: RecordStore;
  readonly logId: Buffer;
  /**
   * Notes in the database that a partition of the log begins to use a partition of the store. Called before its first
   * put, so that a later life of the database knows where to look.
   */
  readonly begin: (partition: string, place: number) => Promise<void>;
  /** A monotonic clock. */
  readonly monotonicMs: () => number;
}

const notAsked = Number.NEGATIVE_INFINITY;

/**
 * Puts appends into the store, without ever waiting long for it. A partition of the store that does not answer in time
 * is left alone until a probe is answered, and so are all others, because a machine that fails has parts of many:
 *
 *   closed --(no answer in 250 ms)--> open --(a probe is answered in 250 ms; at most one a second)--> closed
 */
export class RecordWriter {
  readonly #options: RecordWriterOptions;
  /** Of partitions that are left alone: when they were last asked; minus infinity: not since others failed. */
  readonly #open = new Map<number, number>();
  readonly #begun = new Set<string>();

  constructor(options: RecordWriterOptions) {
    this.#options = options;
  }

  /** Whether appends leave some partitions of the store alone. One that nothing was appended to since does not count. */
  get isDegraded(): boolean {
    return this.#options.store.partitions === 0 || [...this.#open.values()].some((askedMs) => askedMs !== notAsked);
  }

  /** Resolves within 250 ms, whatever the store does. */
  async put(partition: string, sent: readonly Sent[]): Promise<Placement> {
    const { store, logId } = this.#options;
    if (store.partitions === 0) return { kind: 'inline', partition: 0 };
    const place = partitionOf(partition, store.partitions);
    if (this.#open.has(place)) {
      this.#probe(place);
      return { kind: 'inline', partition: place };
    }
    if (appendBytes(sent) > store.bytesMax) return { kind: 'inline', partition: place };
    const appendId = randomBytes(idBytes);
    const bytes = writeAppend({ logId, appendId, partition }, sent);
    try {
      const offset = await within(putMsMax, this.#putFirst(partition, place, bytes));
      return { kind: 'placed', partition: place, offset, appendId };
    } catch {
      this.#openAll(place);
      return { kind: 'inline', appendId, partition: place };
    }
  }

  async #putFirst(partition: string, place: number, bytes: Buffer): Promise<number> {
    const { store, begin } = this.#options;
    const key = `${place}/${partition}`;
    if (!this.#begun.has(key)) {
      await begin(partition, place);
      this.#begun.add(key);
    }
    return store.put(place, bytes);
  }

  /**
   * Resolves once the store has the verdict that these entries were refused, so that no later life adopts them.
   *
   * @throws LogUnavailableError if it does not answer: whether the entries will be in the log is then unknown
   */
  async refuse(partition: string, placement: Placement, numbers: readonly number[]): Promise<void> {
    const { appendId } = placement;
    if (appendId === undefined) return;
    const bytes = writeVerdict({ logId: this.#options.logId, appendId, partition }, numbers);
    try {
      await within(verdictMsMax, this.#options.store.put(placement.partition, bytes));
    } catch (cause) {
      throw new LogUnavailableError('the refusal was not confirmed by the store', { cause });
    }
  }

  /** The one that failed is asked again in a second, the others with the next append. */
  #openAll(failed: number): void {
    for (let place = 0; place < this.#options.store.partitions; place++) {
      if (!this.#open.has(place)) this.#open.set(place, notAsked);
    }
    this.#open.set(failed, this.#options.monotonicMs());
  }

  #probe(place: number): void {
    const nowMs = this.#options.monotonicMs();
    if (nowMs - this.#open.get(place)! < probeEveryMs) return;
    this.#open.set(place, nowMs);
    const probe = writeProbe({ logId: this.#options.logId, appendId: randomBytes(idBytes), partition: '' });
    within(putMsMax, this.#options.store.put(place, probe)).then(
      () => this.#open.delete(place),
      () => {},
    );
  }
}

/** The same for all processes, and after a restore as well. */
export function partitionOf(partition: string, partitions: number): number {
  return crc32(partition) % partitions;
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new StoreUnavailableError(`the store did not answer in ${ms} ms`)), ms);
    void work.then(resolve, reject).finally(() => clearTimeout(late));
  });
}
