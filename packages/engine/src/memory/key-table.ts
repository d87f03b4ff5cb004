import { HashSlots, slotInts } from './hash-slots.ts';
import type { KeyText } from './key-text.ts';

const shardsLog2 = 8;
const shardCount = 1 << shardsLog2;

/** Knows the names of blocks. */
export interface Names {
  isNamed(block: number, key: KeyText): boolean;
}

/** Stands for all shards that nothing was added to. */
const empty = new HashSlots();

/**
 * Blocks by the hash of their names. It never stops to grow as a whole: each of its parts, chosen by the hash's high
 * bits, grows by itself.
 */
export class KeyTable {
  readonly #shards: HashSlots[] = Array.from({ length: shardCount }, () => empty);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The block of this name; 0 for none. */
  find(key: KeyText, names: Names): number {
    const { hash } = key;
    const { slots, mask } = this.#shardOf(hash);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const block = slots[slot * slotInts + 1]!;
      if (block === 0) return 0;
      if (slots[slot * slotInts] === hash && names.isNamed(block, key)) return block;
    }
  }

  /** The first block whose name has this hash, most likely the one; 0 for none. */
  guess(hash: number): number {
    const { slots, mask } = this.#shardOf(hash);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const block = slots[slot * slotInts + 1]!;
      if (block === 0 || slots[slot * slotInts] === hash) return block;
    }
  }

  /** Adds a block; none of the same name must be here. */
  add(hash: number, block: number): void {
    let shard = this.#shardOf(hash);
    if (shard === empty) this.#shards[hash >>> (32 - shardsLog2)] = shard = new HashSlots();
    shard.add(hash, block);
    this.#count++;
  }

  /** Another block takes the place of this one. */
  replace(hash: number, block: number, by: number): void {
    const shard = this.#shardOf(hash);
    shard.slots[slotOf(shard, hash, block) * slotInts + 1] = by;
  }

  remove(hash: number, block: number): void {
    const shard = this.#shardOf(hash);
    const { slots, mask } = shard;
    let hole = slotOf(shard, hash, block);
    // Those behind move up, as far as that does not bring one before its own place.
    for (let slot = (hole + 1) & mask; slots[slot * slotInts + 1] !== 0; slot = (slot + 1) & mask) {
      const home = slots[slot * slotInts]! & mask;
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      slots[hole * slotInts] = slots[slot * slotInts]!;
      slots[hole * slotInts + 1] = slots[slot * slotInts + 1]!;
      hole = slot;
    }
    slots[hole * slotInts + 1] = 0;
    shard.count--;
    this.#count--;
  }

  /** The blocks that pass; the table must not change meanwhile. */
  where(isMeant: (block: number) => boolean): number[] {
    const found: number[] = [];
    for (const { slots } of this.#shards) {
      for (let at = 1; at < slots.length; at += slotInts) {
        const block = slots[at]!;
        if (block !== 0 && isMeant(block)) found.push(block);
      }
    }
    return found;
  }

  /** Every block, as they are now. */
  blocks(): readonly number[] {
    return this.where(() => true);
  }

  /** The blocks of one part, from 0 to `shardCount - 1`, as they are now. */
  blocksOf(part: number): readonly number[] {
    return this.someOf(part, 0, Infinity).blocks;
  }

  /** At most so many of them, from this slot on, and the slot to go on from; 0 when there is none behind them. */
  someOf(part: number, from: number, countMax: number): { readonly blocks: readonly number[]; readonly next: number } {
    const blocks: number[] = [];
    const { slots } = this.#shards[part]!;
    for (let slot = from; slot * slotInts < slots.length; slot++) {
      const block = slots[slot * slotInts + 1]!;
      if (block === 0) continue;
      if (blocks.length === countMax) return { blocks, next: slot };
      blocks.push(block);
    }
    return { blocks, next: 0 };
  }

  #shardOf(hash: number): HashSlots {
    return this.#shards[hash >>> (32 - shardsLog2)]!;
  }
}

function slotOf({ slots, mask }: HashSlots, hash: number, block: number): number {
  let slot = hash & mask;
  while (slots[slot * slotInts + 1] !== block) slot = (slot + 1) & mask;
  return slot;
}
