import { ByteWriter } from '@ringfence/contract';
import { encodeGlobals } from '../src/store/checkpoint/globals-codec.ts';
import type { EngineState } from '../src/state.ts';

/** Every byte of a state and of the entities in memory; has no side effects. */
export function bytesOf(state: EngineState): readonly string[] {
  const writer = new ByteWriter();
  const { clients, directories } = state.store;
  const lines: string[] = [];
  for (const table of [clients, directories]) {
    for (const [name, snapshot] of table.snapshots()) lines.push(`${name} ${snapshot.join()}`);
  }
  for (let number = 0; number < state.store.groupCount; number++) {
    const group = state.store.group(number);
    for (const block of group.present()) {
      group.write(writer, block);
      lines.push(`${number}/${group.nameOf(block)} ${writer.take().join()}`);
    }
  }
  return [encodeGlobals(writer, state).join(), ...lines.toSorted()];
}
