import { assert } from '@ringfence/contract';
import { compareName, endOfEntry, nameBytes, prefixAt } from './block.ts';
import type { Segment } from './segment.ts';

/** Segments of one level that are merged into one of the next. */
const fanIn = 8;

/** Reads further blocks of a segment, beginning with a number; none after the last. */
export type ReadBlocks = (segment: Segment, from: number) => Promise<readonly Buffer[]>;

/** One entry of a merge: at `at` in `block`, from `segment`. */
export interface Merged {
  readonly segment: Segment;
  readonly block: Buffer;
  readonly at: number;
}

/** Position in one segment. */
class Cursor implements Merged {
  readonly segment: Segment;
  readonly #read: ReadBlocks;
  #blocks: readonly Buffer[] = [];
  #next = 0;
  /** Blocks read from the database. */
  #fetched = 0;
  block: Buffer = Buffer.alloc(0);
  at = 0;
  prefix = 0;

  constructor(segment: Segment, read: ReadBlocks) {
    this.segment = segment;
    this.#read = read;
  }

  /** Whether the next entry lies in blocks that are in memory. */
  skip(): boolean {
    this.at = endOfEntry(this.block, this.at);
    return this.#settle();
  }

  /** Whether there is another entry. */
  async fetch(): Promise<boolean> {
    this.#blocks = await this.#read(this.segment, this.#fetched);
    this.#fetched += this.#blocks.length;
    this.#next = 0;
    this.block = Buffer.alloc(0);
    this.at = 0;
    return this.#settle();
  }

  #settle(): boolean {
    if (this.at === this.block.length) {
      const block = this.#blocks[this.#next++];
      if (block === undefined) return false;
      this.block = block;
      this.at = 0;
    }
    this.prefix = prefixAt(this.block, this.at);
    return true;
  }
}

/**
 * All entries of the segments in the order of their names; of entries with one name, that of the newest segment.
 *
 * @param segments newest first
 */
export async function* mergeSegments(
  segments: readonly Segment[],
  read: ReadBlocks,
): AsyncGenerator<readonly Merged[]> {
  let cursors: Cursor[] = [];
  for (const segment of segments) {
    const cursor = new Cursor(segment, read);
    if (await cursor.fetch()) cursors.push(cursor);
  }
  while (cursors.length > 0) {
    const found: Merged[] = [];
    const empty = takeSome(cursors, found);
    yield found;
    for (const cursor of empty) if (!(await cursor.fetch())) cursors = cursors.filter((other) => other !== cursor);
  }
}

/** Entries between two pauses: half a millisecond. */
const atOnce = 500;

/** Takes entries until some cursors need further blocks, which it returns, or there are enough. */
function takeSome(cursors: readonly Cursor[], into: Merged[]): readonly Cursor[] {
  while (into.length < atOnce) {
    const first = firstOf(cursors);
    const { segment, block, at, prefix } = first;
    into.push({ segment, block, at });
    const name = block.subarray(at + 4, at + 4 + nameBytes);
    const empty: Cursor[] = [];
    for (const cursor of cursors) {
      if (cursor.prefix === prefix && compareName(cursor.block, cursor.at, name) === 0 && !cursor.skip()) {
        empty.push(cursor);
      }
    }
    if (empty.length > 0) return empty;
  }
  return [];
}

/** The cursor at the smallest name; of several, the newest. */
function firstOf(cursors: readonly Cursor[]): Cursor {
  let first = cursors[0]!;
  for (let i = 1; i < cursors.length; i++) {
    const cursor = cursors[i]!;
    if (cursor.prefix > first.prefix) continue;
    if (cursor.prefix < first.prefix || orderOf(cursor, first) < 0) first = cursor;
  }
  return first;
}

function orderOf(a: Cursor, b: Cursor): number {
  return a.block.compare(b.block, b.at + 4, b.at + 4 + nameBytes, a.at + 4, a.at + 4 + nameBytes);
}

/** The segments of the lowest level that has enough of them; none if no level has. */
export function runToMerge(segments: readonly Segment[]): readonly Segment[] {
  for (let from = 0; from < segments.length;) {
    const { level } = segments[from]!;
    let to = from;
    while (to < segments.length && segments[to]!.level === level) to += 1;
    assert(to === segments.length || segments[to]!.level > level, 'older segments have higher levels');
    if (to - from >= fanIn) return segments.slice(from, to);
    from = to;
  }
  return [];
}
