import { findEntry } from './block.ts';
import { mayContain } from './bloom-filter.ts';
import type { Merged } from './merge.ts';
import { blockOf, type Segment } from './segment.ts';
import { type Connection, findBlocks } from './segment-rows.ts';

/**
 * The newest entry of each name, or `undefined` for none.
 *
 * @param segments newest first
 * @returns an error if a block is not there: a merge has replaced its segment, or it is lost
 */
export async function findEntries(
  names: readonly Buffer[],
  { segments, unconfirmed }: { readonly segments: readonly Segment[]; readonly unconfirmed: ReadonlySet<number> },
  on: Connection,
): Promise<readonly (Merged | undefined)[] | MissingBlockError> {
  const found: (Merged | undefined)[] = Array.from({ length: names.length }, () => undefined);
  let sought = names.map((name, i) => ({ i, name, prefix: name.readUIntBE(0, 6), from: 0, block: -1 }));
  for (;;) {
    // The newest segment, among those not looked into, that may have the name.
    sought = sought.filter((one) => {
      while (one.from < segments.length) {
        const segment = segments[one.from]!;
        one.block = mayContain(segment.filter, one.name) ? blockOf(segment, one.prefix) : -1;
        if (one.block >= 0) return true;
        one.from += 1;
      }
      return false;
    });
    if (sought.length === 0) return found;
    const blocks = await findBlocks(
      on,
      sought.map(({ from, block }) => ({ segment: segments[from]!.id, block })),
    );
    const missing = sought.find(({ from }, at) => blocks[at] === undefined && !unconfirmed.has(segments[from]!.id));
    if (missing !== undefined) return new MissingBlockError(segments[missing.from]!.id);
    sought = sought.filter((one, at) => {
      const segment = segments[one.from]!;
      const block = blocks[at];
      const place = block === undefined ? -1 : findEntry(block, one.name);
      one.from += 1;
      if (block === undefined || place < 0) return true;
      found[one.i] = { segment, block, at: place };
      return false;
    });
  }
}

/** A part of the stored state is not in the database, as after a failover to a copy that lagged: read it again. */
export class MissingBlockError extends Error {
  override readonly name = 'MissingBlockError';
  readonly segment: number;

  constructor(segment: number) {
    super(`the database lacks a part of segment ${segment} of the stored state`);
    this.segment = segment;
  }
}
