/**
 * Bottom-k sample: keeps the items with the smallest ranks, up to a maximum number. If the rank is a hash of the item's
 * number, the sample is uniform, and the same for any batching of the items.
 */
export class BottomKSample<Item> {
  readonly #limit: number;
  readonly #kept: { readonly rank: number; readonly item: Item }[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(rank: number, item: Item): void {
    const last = this.#kept.at(-1);
    const isFull = this.#kept.length >= this.#limit;
    if (isFull && (last === undefined || rank >= last.rank)) return;
    if (isFull) this.#kept.pop();
    const at = this.#kept.findIndex((other) => other.rank > rank);
    this.#kept.splice(at < 0 ? this.#kept.length : at, 0, { rank, item });
  }

  /** In the order of their ranks. */
  items(): readonly Item[] {
    return this.#kept.map(({ item }) => item);
  }
}

/** A deterministic pseudo-random number from 0 to 2^32 - 1. Source: the finisher of MurmurHash3. */
export function scattered(value: number): number {
  let mixed = value >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
