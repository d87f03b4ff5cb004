import { chainKey } from '../../platform/secrets/chain-key.ts';
import type { Place } from '../../platform/secrets/seal.ts';
import type { Workspace } from '../../tenancy/workspaces/workspace.ts';
import { decodeEntry, type Entry } from './block.ts';
import { mergeSegments, type ReadBlocks } from './merge.ts';
import { type Connection, readBlocks, readSegments, type StateStore } from './segment-rows.ts';
import { entityPlace } from './state-places.ts';
import { TaggedReading } from './tagged-reading.ts';

/** An entry with its place. */
interface SealedEntry extends Entry {
  readonly sealed: Buffer;
  readonly place: Place;
}

/** All entries of a store that have a state, segment by segment, newest segment first. */
export async function* sealedEntries(
  on: Connection,
  { id: workspaceId }: Workspace,
  store: StateStore,
): AsyncGenerator<SealedEntry> {
  const readSome: ReadBlocks = ({ id }, block) => readBlocks(on, { segment: id, block });
  for (const segment of await readSegments(on, { workspaceId, store })) {
    for await (const some of mergeSegments([segment], readSome)) {
      for (const { block, at } of some) {
        const { sealed, ...entry } = decodeEntry(block, at);
        if (sealed !== undefined) yield { ...entry, sealed, place: entityPlace(workspaceId, entry.name) };
      }
    }
  }
}

/** The segments of a store whose content is not what was written; those of an earlier release have no tag to compare. */
export async function changedSegments(
  on: Connection,
  { id: workspaceId, secrets }: Workspace,
  store: StateStore,
): Promise<readonly number[]> {
  const segments = await readSegments(on, { workspaceId, store });
  const reading = new TaggedReading(chainKey(secrets.data), on);
  for (const segment of segments) {
    if (segment.tag === undefined) continue;
    for (let at = 0, count = -1; count !== 0; at += count) count = (await reading.read(segment, at)).length;
  }
  return reading.changed(segments);
}
