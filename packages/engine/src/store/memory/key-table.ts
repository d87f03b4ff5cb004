import type { KeyText } from './key-text.ts';

/** Parts of a table: each grows separately and is scanned without a noticeable pause. */
export const partCount = 64;
const partShift = 26;
const slotsMin = 8;
/** Numbers per slot: the hash, and the block. */
const slotIntsLog2 = 1;
const slotInts = 1 << slotIntsLog2;

/** Compares names with those of blocks. */
export interface Names {
  isNamed(block: number, key: KeyText): boolean;
}

/** Shared by all parts without entries; never written to. */
const empty = new Int32Array(slotsMin * slotInts);

/**
 * Hash table from the hash of a name to its block, or another number except 0. Open addressing with linear probing, at
 * most two thirds full. Its parts, chosen by the high bits of the hash, grow separately, so that no growth causes a
 * long pause. A part is only its array of slots, and there are few parts, so a look-up costs one cache miss.
 */
export class KeyTable {
  readonly #parts: Int32Array[] = Array.from({ length: partCount }, () => empty);
  readonly #counts = new Int32Array(partCount);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** The block of this name; 0 for none. */
  find(key: KeyText, names: Names): number {
    const { hash } = key;
    const slots = this.#parts[hash >>> partShift]!;
    const mask = maskOf(slots);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const block = slots[slot * slotInts + 1]!;
      if (block === 0) return 0;
      if (slots[slot * slotInts] === hash && names.isNamed(block, key)) return block;
    }
  }

  /** The first block whose name has this hash, most likely the right one; 0 for none. */
  guess(hash: number): number {
    const slots = this.#parts[hash >>> partShift]!;
    const mask = maskOf(slots);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const block = slots[slot * slotInts + 1]!;
      if (block === 0 || slots[slot * slotInts] === hash) return block;
    }
  }

  /** Adds a block; its name must not be in the table. @param block not 0 */
  add(hash: number, block: number): void {
    const part = hash >>> partShift;
    let slots = this.#parts[part]!;
    if (slots === empty) this.#parts[part] = slots = new Int32Array(slotsMin * slotInts);
    if ((this.#counts[part]! + 1) * 3 > (maskOf(slots) + 1) * 2) this.#parts[part] = slots = grown(slots);
    put(slots, hash, block);
    this.#counts[part]!++;
    this.#count++;
  }

  /** Replaces a block. */
  replace(hash: number, block: number, by: number): void {
    const slots = this.#parts[hash >>> partShift]!;
    slots[slotOf(slots, hash, block) * slotInts + 1] = by;
  }

  remove(hash: number, block: number): void {
    const part = hash >>> partShift;
    const slots = this.#parts[part]!;
    const mask = maskOf(slots);
    let hole = slotOf(slots, hash, block);
    // Moves later entries of the probe sequence up, but none to before its home slot.
    for (let slot = (hole + 1) & mask; slots[slot * slotInts + 1] !== 0; slot = (slot + 1) & mask) {
      const home = slots[slot * slotInts]! & mask;
      if (((slot - home) & mask) < ((slot - hole) & mask)) continue;
      slots[hole * slotInts] = slots[slot * slotInts]!;
      slots[hole * slotInts + 1] = slots[slot * slotInts + 1]!;
      hole = slot;
    }
    slots[hole * slotInts + 1] = 0;
    this.#counts[part]!--;
    this.#count--;
  }

  /** The blocks that match; the table must not change meanwhile. */
  where(isMeant: (block: number) => boolean): number[] {
    return this.#parts.flatMap((slots) => blocksIn(slots, isMeant));
  }

  /** A snapshot of all blocks. */
  blocks(): readonly number[] {
    return this.where(() => true);
  }

  /** A snapshot of the blocks of one part, from 0 to `partCount - 1`. */
  blocksOf(part: number): readonly number[] {
    return blocksIn(this.#parts[part]!, () => true);
  }

  /** At most `countMax` negative numbers of a part, from slot `from` on, and the slot to continue at; 0 at the end. */
  someBelow0(
    part: number,
    from: number,
    countMax: number,
  ): { readonly found: readonly number[]; readonly next: number } {
    const found: number[] = [];
    const slots = this.#parts[part]!;
    for (let slot = from; slot * slotInts < slots.length; slot++) {
      const number = slots[slot * slotInts + 1]!;
      if (number >= 0) continue;
      if (found.length === countMax) return { found, next: slot };
      found.push(number);
    }
    return { found, next: 0 };
  }
}

function blocksIn(slots: Int32Array, isMeant: (block: number) => boolean): number[] {
  const found: number[] = [];
  for (let at = 1; at < slots.length; at += slotInts) {
    const block = slots[at]!;
    if (block !== 0 && isMeant(block)) found.push(block);
  }
  return found;
}

function maskOf(slots: Int32Array): number {
  return (slots.length >>> slotIntsLog2) - 1;
}

function slotOf(slots: Int32Array, hash: number, block: number): number {
  const mask = maskOf(slots);
  let slot = hash & mask;
  while (slots[slot * slotInts + 1] !== block) slot = (slot + 1) & mask;
  return slot;
}

function put(slots: Int32Array, hash: number, block: number): void {
  const mask = maskOf(slots);
  let slot = hash & mask;
  while (slots[slot * slotInts + 1] !== 0) slot = (slot + 1) & mask;
  slots[slot * slotInts] = hash;
  slots[slot * slotInts + 1] = block;
}

function grown(slots: Int32Array): Int32Array {
  const larger = new Int32Array(slots.length * 2);
  for (let at = 0; at < slots.length; at += slotInts) {
    if (slots[at + 1] !== 0) put(larger, slots[at]!, slots[at + 1]!);
  }
  return larger;
}
