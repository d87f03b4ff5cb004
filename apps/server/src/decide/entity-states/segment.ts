import type { KeyObject } from 'node:crypto';
import { assert } from '@ringfence/contract';
import { addTo, newFilter } from './bloom-filter.ts';
import { endOfEntry, firstByte, prefixAt } from './block.ts';
import { SegmentTag } from './segment-tag.ts';

/**
 * A sorted run of entities, written once and never changed. A newer segment hides what older ones have under the same
 * name. This description is in memory; the blocks are in the database.
 */
export interface Segment {
  readonly id: number;
  /** 0: from a checkpoint; a merge makes one of the next level. */
  readonly level: number;
  /** Newer entries have a higher number. */
  readonly age: number;
  readonly entries: number;
  /** The prefix of the first name in each block. */
  readonly firsts: Float64Array;
  readonly filter: Buffer;
  /** A keyed hash of its content; `undefined` for a segment of an earlier release. */
  readonly tag: Buffer | undefined;
}

const firstBytes = 6;

export function encodeFirsts(firsts: Float64Array): Buffer {
  const bytes = Buffer.allocUnsafe(firsts.length * firstBytes);
  for (const [i, first] of firsts.entries()) bytes.writeUIntBE(first, i * firstBytes, firstBytes);
  return bytes;
}

export function decodeFirsts(bytes: Buffer): Float64Array {
  assert(bytes.length % firstBytes === 0, 'the first names of blocks have six bytes each');
  return Float64Array.from({ length: bytes.length / firstBytes }, (_, i) =>
    bytes.readUIntBE(i * firstBytes, firstBytes),
  );
}

/** Bytes of a block, unless one entry is larger: two blocks fill a page of the database. */
const blockBytes = 3_900;

/** The block that contains this prefix, if any does; -1 for none. */
export function blockOf({ firsts }: Segment, prefix: number): number {
  let [from, to] = [0, firsts.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (firsts[middle]! <= prefix) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

/** Cuts a sorted run of entries into blocks. */
export class SegmentBuilder {
  readonly #filter: Buffer;
  readonly #firsts: number[] = [];
  readonly #ready: Buffer[] = [];
  readonly #tag: SegmentTag;
  #block = Buffer.allocUnsafe(blockBytes);
  #used = 0;
  #entries = 0;
  #last = -1;

  /**
   * @param entriesMax at least as many as will be added
   * @param key of the tag
   */
  constructor(entriesMax: number, key: KeyObject) {
    this.#filter = newFilter(entriesMax);
    this.#tag = new SegmentTag(key);
  }

  get entries(): number {
    return this.#entries;
  }

  /** Adds the entry at `at` of another block. Names must ascend. */
  add(from: Buffer, at: number): void {
    const end = endOfEntry(from, at);
    const length = end - at;
    const prefix = prefixAt(from, at);
    assert(prefix >= this.#last, 'the names of a segment ascend');
    // Equal prefixes stay together, so that a prefix tells the block.
    if (this.#used > 0 && this.#used + length > blockBytes && prefix !== this.#last) this.#cut();
    if (this.#used === 0) this.#firsts.push(prefix);
    if (this.#used + length > this.#block.length) this.#grow(this.#used + length);
    from.copy(this.#block, this.#used, at, end);
    this.#used += length;
    this.#entries += 1;
    this.#last = prefix;
    addTo(this.#filter, from, at + 4);
  }

  /** The blocks that are complete, each returned once. */
  take(): readonly Buffer[] {
    return this.#ready.splice(0);
  }

  /** Completes the last block. */
  end(): Pick<Segment, 'entries' | 'firsts' | 'filter' | 'tag'> {
    if (this.#used > 0) this.#cut();
    const firsts = Float64Array.from(this.#firsts);
    const tag = this.#tag.end(encodeFirsts(firsts), this.#filter);
    return { entries: this.#entries, firsts, filter: this.#filter, tag };
  }

  #cut(): void {
    const block = this.#block.subarray(0, this.#used);
    this.#tag.add(block);
    this.#ready.push(block);
    this.#block = Buffer.allocUnsafe(blockBytes);
    this.#used = 0;
  }

  #grow(bytes: number): void {
    const larger = Buffer.allocUnsafe(bytes);
    this.#block.copy(larger, 0, 0, this.#used);
    this.#block = larger;
  }
}

/** Entries in any order, to be sorted a few at a time: by the first byte of their names, which are keyed hashes. */
export class UnsortedEntries {
  #byFirst: Buffer[][] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(entry: Buffer): void {
    (this.#byFirst[firstByte(entry)] ??= []).push(entry);
    this.#count += 1;
  }

  /** All of them in the order of their names, some at a time. They are removed. */
  *takeSorted(): Generator<readonly Buffer[]> {
    const all = this.#byFirst;
    this.#byFirst = [];
    this.#count = 0;
    for (const some of all) if (some !== undefined) yield sortEntries(some);
  }
}

/** Bits of a double that are left for an index beside a prefix of 38 bits. */
const indexSize = 2 ** 14;
const prefixShift = 2 ** 10;

/** Entries in the order of their names. At most 16,384, each a buffer of its own. Sorting numbers takes a millisecond. */
export function sortEntries(entries: readonly Buffer[]): Buffer[] {
  assert(entries.length <= indexSize, 'a run has at most 16,384 entries');
  const keys = new Float64Array(entries.length);
  for (const [index, entry] of entries.entries()) {
    keys[index] = Math.floor(prefixAt(entry, 0) / prefixShift) * indexSize + index;
  }
  keys.sort();
  const sorted = Array.from(keys, (key) => entries[key % indexSize]!);
  // What the 38 bits do not tell apart.
  for (let i = 1; i < sorted.length; i++) {
    for (let j = i; j > 0 && order(sorted[j - 1]!, sorted[j]!) > 0; j--) {
      [sorted[j - 1], sorted[j]] = [sorted[j]!, sorted[j - 1]!];
    }
  }
  return sorted;
}

function order(a: Buffer, b: Buffer): number {
  return a.compare(b, 4, 20, 4, 20);
}
