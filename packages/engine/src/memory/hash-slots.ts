const slotsMin = 8;

/** Numbers per slot: the hash, and the number that is kept under it. */
export const slotInts = 2;

/**
 * Numbers by the hash of what they stand for, side by side in memory: open addressing with linear probing, at most two
 * thirds full. Whoever looks goes from the slot `hash & mask` on to the first that is free, a number of 0, and tells
 * himself which of the numbers under his hash is meant.
 */
export class HashSlots {
  slots: Int32Array = new Int32Array(slotsMin * slotInts);
  mask = slotsMin - 1;
  count = 0;

  /** @param number not 0 */
  add(hash: number, number: number): void {
    if ((this.count + 1) * 3 > (this.mask + 1) * 2) this.#grow();
    this.#put(hash, number);
    this.count++;
  }

  #grow(): void {
    const before = this.slots;
    this.slots = new Int32Array(before.length * 2);
    this.mask = (before.length / slotInts) * 2 - 1;
    for (let at = 0; at < before.length; at += slotInts) {
      if (before[at + 1] !== 0) this.#put(before[at]!, before[at + 1]!);
    }
  }

  #put(hash: number, number: number): void {
    const { slots, mask } = this;
    let slot = hash & mask;
    while (slots[slot * slotInts + 1] !== 0) slot = (slot + 1) & mask;
    slots[slot * slotInts] = hash;
    slots[slot * slotInts + 1] = number;
  }
}
