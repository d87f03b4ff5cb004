import type { KeyObject } from 'node:crypto';
import type { ReadBlocks } from './merge.ts';
import { encodeFirsts, type Segment } from './segment.ts';
import { type Connection, readBlocks } from './segment-rows.ts';
import { SegmentTag } from './segment-tag.ts';

/** Reads blocks of segments, each segment once and in order, and compares them with the tags. */
export class TaggedReading {
  readonly #key: KeyObject;
  readonly #on: Connection;
  readonly #tags = new Map<number, SegmentTag>();

  constructor(key: KeyObject, on: Connection) {
    this.#key = key;
    this.#on = on;
  }

  readonly read: ReadBlocks = async ({ id, tag }, block) => {
    const blocks = await readBlocks(this.#on, { segment: id, block });
    if (tag === undefined) return blocks;
    const made = this.#tags.get(id) ?? new SegmentTag(this.#key, tag);
    this.#tags.set(id, made);
    for (const one of blocks) made.add(one);
    return blocks;
  };

  /** Those that differ, when all were read. */
  changed(segments: readonly Segment[]): readonly number[] {
    const isSame = ({ id, firsts, filter, tag }: Segment): boolean =>
      this.#tags.get(id)?.end(encodeFirsts(firsts), filter).equals(tag!) ?? true;
    return segments.filter((one) => !isSame(one)).map(({ id }) => id);
  }
}
