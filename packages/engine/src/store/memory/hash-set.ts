const shardsLog2 = 8;
const slotsMin = 8;

/**
 * Hashes of 32 bits, for telling quickly that a name is not among many: 4 to 12 bytes each. Grows part by part, chosen
 * by the hash's high bits, so that it never stops to grow as a whole. Open addressing, at most two thirds full.
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

/** 0 is an empty slot; the two hashes that share a value are told apart by nobody. */
function valueOf(hash: number): number {
  return hash === 0 ? 1 : hash;
}

/** Where the hash stands, or would. */
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
