import { type AppendMessage, type Message, openMessage } from '../batch-message.ts';
import type { RecordStore } from '../record-store.ts';

/** Fetched at once: a few megabytes of full flights. */
const fetchedMax = 16;

/** Where an append is. */
interface Put {
  readonly offset: number;
  readonly id: string;
}

/** What a partition of the store has. */
interface Scanned {
  readonly from: number;
  /** Everything before it was seen. */
  end: number;
  /** By partition of the log, in the order of the store. */
  readonly appends: Map<string, Put[]>;
  /** By append: the numbers of its entries that were refused. */
  readonly refused: Map<string, Set<number>>;
  damaged: number;
}

export interface Found {
  readonly appends: readonly Put[];
  refused(id: string): ReadonlySet<number>;
  /** Messages of whatever partition of the log that are damaged. */
  readonly damaged: number;
}

/**
 * What a store has of one log, read once for all partitions of the log whose new life begins in one moment: many of them
 * share a partition of the store.
 */
export class StoreScan {
  readonly #store: RecordStore;
  readonly #logId: Buffer;
  readonly #scanned = new Map<number, Scanned>();

  constructor(store: RecordStore, logId: Buffer) {
    this.#store = store;
    this.#logId = logId;
  }

  /**
   * Everything of a partition of the log in a partition of the store, to its end as of the call.
   *
   * @throws StoreUnavailableError
   */
  async find(partition: string, { place, from }: { readonly place: number; readonly from: number }): Promise<Found> {
    const { appends, refused, damaged } = await this.#toEnd(place, from);
    return {
      appends: (appends.get(partition) ?? []).filter(({ offset }) => offset >= from),
      refused: (id) => refused.get(id) ?? new Set(),
      damaged,
    };
  }

  /**
   * The messages themselves, in order. One that is gone or damaged meanwhile has no `append`.
   *
   * @throws StoreUnavailableError
   */
  async *read(
    place: number,
    puts: readonly Put[],
  ): AsyncGenerator<Put & { readonly append: AppendMessage | undefined }> {
    for (let at = 0; at < puts.length; at += fetchedMax) {
      const part = puts.slice(at, at + fetchedMax);
      const stored = await this.#store.get(
        place,
        part.map(({ offset }) => offset),
      );
      for (const put of part) {
        const bytes = stored.get(put.offset);
        const message = bytes && openMessage(bytes);
        yield { ...put, append: message?.kind === 'append' ? message : undefined };
      }
    }
  }

  async #toEnd(place: number, from: number): Promise<Scanned> {
    const before = this.#scanned.get(place);
    const scanned =
      before !== undefined && before.from <= from
        ? before
        : { from, end: from, appends: new Map(), refused: new Map(), damaged: 0 };
    this.#scanned.set(place, scanned);
    for await (const { offset, bytes } of this.#store.after(place, scanned.end)) {
      scanned.end = offset + 1;
      note(scanned, offset, { message: openMessage(bytes), logId: this.#logId });
    }
    return scanned;
  }
}

function note(
  into: Scanned,
  offset: number,
  { message, logId }: { readonly message: Message | undefined; readonly logId: Buffer },
): void {
  if (message === undefined) {
    into.damaged += 1;
    return;
  }
  if (!message.logId.equals(logId)) return;
  const id = message.appendId.toString('hex');
  if (message.kind === 'append') {
    const puts = into.appends.get(message.partition) ?? [];
    puts.push({ offset, id });
    into.appends.set(message.partition, puts);
  } else if (message.kind === 'verdict') {
    const numbers = into.refused.get(id) ?? new Set();
    for (const number of message.refused) numbers.add(number);
    into.refused.set(id, numbers);
  }
}
