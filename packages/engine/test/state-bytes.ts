import { ByteWriter } from '@ringfence/contract';
import { encodeGlobals } from '../src/store/checkpoint/globals-codec.ts';
import type { EngineState } from '../src/state.ts';

/** Every byte of a state and of the entities in memory; has no side effects. */
export function bytesOf(state: EngineState): readonly string[] {
  const writer = new ByteWriter();
  const { clients, directories, groups } = state.store.tables;
  const lines: string[] = [];
  for (const table of [clients, directories]) {
    for (const [name, snapshot] of table.snapshots()) lines.push(`${name} ${snapshot.join()}`);
  }
  for (const group of groups) {
    for (const block of group.present()) {
      group.write(writer, block);
      lines.push(`${group.number}/${group.nameOf(block)} ${writer.take().join()}`);
    }
  }
  return [encodeGlobals(writer, state).join(), ...lines.toSorted()];
}
