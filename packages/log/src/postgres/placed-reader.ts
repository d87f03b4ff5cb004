import { assert } from '@ringfence/contract';
import { type AppendMessage, openMessage } from '../batch-message.ts';
import { cachedBytesMax } from '../bounds.ts';
import { RecordsLostError, type StoredBlock } from '../log.ts';
import { isPlace, type Place, readPlace } from '../place.ts';
import type { RecordStore } from '../record-store.ts';

/** Fetches blocks whose frames are in a record store. Keeps the last messages, up to a bound of their bytes. */
export class PlacedReader {
  readonly #store: RecordStore | undefined;
  /** By partition and offset, the oldest first. */
  readonly #cache = new Map<string, { readonly append: AppendMessage; readonly bytes: number }>();
  #cachedBytes = 0;

  constructor(store: RecordStore | undefined) {
    this.#store = store;
  }

  /**
   * The same blocks with their frames.
   *
   * @param partition of the log, for errors
   * @throws RecordsLostError when the store does not have what was put there; StoreUnavailableError
   */
  async withFrames(partition: string, blocks: readonly StoredBlock[]): Promise<readonly StoredBlock[]> {
    if (!blocks.some(({ frames }) => isPlace(frames))) return blocks;
    const wanted = new Map<number, Set<number>>();
    for (const { frames } of blocks) {
      if (!isPlace(frames)) continue;
      const { partition: of, offset } = readPlace(frames);
      if (!this.#cache.has(`${of}/${offset}`)) wanted.set(of, (wanted.get(of) ?? new Set()).add(offset));
    }
    const fetched = new Map<string, AppendMessage>();
    for (const [of, offsets] of wanted) await this.#fetch(partition, { of, offsets: [...offsets], into: fetched });
    return blocks.map((block) => {
      if (!isPlace(block.frames)) return block;
      const place = readPlace(block.frames);
      const key = `${place.partition}/${place.offset}`;
      const append = fetched.get(key) ?? this.#cache.get(key)?.append;
      return { ...block, frames: framesOf({ partition, block, place }, append) };
    });
  }

  async #fetch(
    partition: string,
    {
      of,
      offsets,
      into,
    }: { readonly of: number; readonly offsets: number[]; readonly into: Map<string, AppendMessage> },
  ): Promise<void> {
    const store = this.#store;
    if (store === undefined) {
      throw new RecordsLostError(`records of partition ${partition} are in a store that this process does not have`);
    }
    const found = await store.get(
      of,
      offsets.toSorted((a, b) => a - b),
    );
    for (const [offset, bytes] of found) {
      const append = openMessage(bytes);
      if (append?.kind !== 'append') continue;
      into.set(`${of}/${offset}`, append);
      this.#remember(`${of}/${offset}`, append, bytes.length);
    }
  }

  #remember(key: string, append: AppendMessage, bytes: number): void {
    this.#cache.set(key, { append, bytes });
    this.#cachedBytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#cache) {
      if (this.#cachedBytes <= cachedBytesMax) return;
      this.#cache.delete(oldest);
      this.#cachedBytes -= freed;
    }
  }
}

function framesOf(
  { partition, block, place }: { readonly partition: string; readonly block: StoredBlock; readonly place: Place },
  append: AppendMessage | undefined,
): Buffer<ArrayBuffer> {
  const { firstEntry, count, appendId } = place;
  if (append === undefined || append.partition !== partition || !append.appendId.equals(appendId)) {
    const last = block.firstOffset + count - 1;
    throw new RecordsLostError(
      `records ${block.firstOffset} to ${last} of partition ${partition} are lost: the store does not have at offset ${place.offset} of its partition ${place.partition} what was put there`,
    );
  }
  const entries = append.entries.slice(firstEntry, firstEntry + count);
  assert(entries.length === count, 'a place names entries of its message');
  return Buffer.concat(entries.map(({ frame }) => frame));
}
