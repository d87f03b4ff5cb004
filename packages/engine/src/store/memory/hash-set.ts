const shardsLog2 = 8;
const slotsMin = 8;

/**
 * A set of 32-bit hashes, to rule out quickly that a name is in a large set: 4 to 12 bytes each. It is divided by the
 * high bits of the hash into shards that grow separately, so that no growth causes a long pause. Open addressing, at
 * most two thirds full.
 */
export class HashSet {
  readonly #shards: (Int32Array | undefined)[] = Array.from({ length: 1 << shardsLog2 }, () => undefined);
  readonly #counts = new Int32Array(1 << shardsLog2);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(hash: number): boolean {
    const slots = this.#shards[hash >>> (32 - shardsLog2)];
    return slots !== undefined && slots[slotOf(slots, hash)] !== 0;
  }

  add(hash: number): void {
    const shard = hash >>> (32 - shardsLog2);
    let slots = (this.#shards[shard] ??= new Int32Array(slotsMin));
    if ((this.#counts[shard]! + 1) * 3 > slots.length * 2) this.#shards[shard] = slots = grown(slots);
    const slot = slotOf(slots, hash);
    if (slots[slot] !== 0) return;
    slots[slot] = valueOf(hash);
    this.#counts[shard]!++;
    this.#size++;
  }
}

/** 0 is an empty slot, so the hashes 0 and 1 share a value and are not distinguished. */
function valueOf(hash: number): number {
  return hash === 0 ? 1 : hash;
}

/** The slot of the hash, or the free slot where it would go. */
function slotOf(slots: Int32Array, hash: number): number {
  const mask = slots.length - 1;
  const value = valueOf(hash);
  let slot = value & mask;
  while (slots[slot] !== 0 && slots[slot] !== value) slot = (slot + 1) & mask;
  return slot;
}

function grown(slots: Int32Array): Int32Array {
  const larger = new Int32Array(slots.length * 2);
  for (const hash of slots) if (hash !== 0) larger[slotOf(larger, hash)] = hash;
  return larger;
}
