import { ByteWriter } from '../src/bytes/byte-writer.ts';
import { encodeFeature } from '../src/checkpoint/entity-codec.ts';
import { encodeGlobals } from '../src/checkpoint/globals-codec.ts';
import { FeatureEntity } from '../src/features/feature-entity.ts';
import type { EngineState } from '../src/state.ts';

/** Every byte of a state and of the entities that are in memory; looking changes nothing. */
export function bytesOf(state: EngineState): readonly string[] {
  const writer = new ByteWriter();
  const { clients, directories } = state.store;
  const lines: string[] = [];
  for (const table of [clients, directories]) {
    for (const [name, snapshot] of table.snapshots()) lines.push(`${name} ${snapshot.join()}`);
  }
  for (let number = 0; number < state.store.groupCount; number++) {
    const group = state.store.group(number);
    const look = new FeatureEntity(group);
    for (const block of group.blocks()) {
      if (group.isAbsent(block)) continue;
      look.place(block);
      lines.push(`${number}/${look.key} ${encodeFeature(writer, look, undefined).join()}`);
    }
  }
  return [encodeGlobals(writer, state).join(), ...lines.toSorted()];
}
