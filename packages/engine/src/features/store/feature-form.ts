import type { ByteReader, ByteWriter } from '@ringfence/contract';
import type { KeyText } from '../../store/memory/key-text.ts';
import { readFeatureEntity, readLayoutId, writeFeatureEntity } from './feature-codec.ts';
import { FeatureEntity } from './feature-entity.ts';
import type { EntityForm, FeatureGroup } from './feature-group.ts';

/** Converts a group's entities between the form in use and bytes. */
export class FeatureForm implements EntityForm {
  readonly #look: FeatureEntity;

  constructor(group: FeatureGroup) {
    this.#look = new FeatureEntity(group);
  }

  write(writer: ByteWriter, block: number): void {
    writeFeatureEntity(writer, this.#look.place(block));
  }

  read(reader: ByteReader, key: KeyText): number {
    const { group } = this.#look;
    readFeatureEntity(reader, this.#look.begin(key, group.layouts(readLayoutId(reader))));
    return this.#look.block;
  }

  expiresAtMs(block: number): number | undefined {
    return this.#look.place(block).expiresAtMs;
  }

  release(block: number): void {
    this.#look.place(block).release();
  }
}
