import { ByteReader, ByteWriter } from '@ringfence/contract';
import type { EngineState } from '../state.ts';
import { readFeatureEntity, readLayoutId } from './store/feature-codec.ts';
import { FeatureEntity } from './store/feature-entity.ts';

/**
 * Copies the state of features that begin with history from `folded`, a state that was stepped through that history.
 * They are the only features there, so their groups have the same columns and places, under other group numbers. Costs
 * a few microseconds per entity.
 */
export function importState(state: EngineState, folded: EngineState, mark: string): void {
  const writer = new ByteWriter();
  for (const [name, number] of state.features.marked(mark)) {
    const from = folded.features.groupNamed(name);
    if (from === undefined) continue;
    const layout = state.features.layoutOf(number);
    const source = folded.store.group(from);
    const target = new FeatureEntity(state.store.group(number));
    const key = state.store.newKey();
    for (const block of source.present()) {
      source.write(writer, block);
      const reader = new ByteReader(writer.take());
      readLayoutId(reader);
      key.set(source.nameOf(block));
      readFeatureEntity(reader, target.begin(key, layout));
      state.store.changeFeature(target);
    }
  }
}
