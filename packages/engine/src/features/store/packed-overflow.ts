import { ByteReader, ByteWriter } from '@ringfence/contract';
import type { Arena } from '../../store/memory/arena.ts';
import { PackedBytes } from '../../store/memory/packed-bytes.ts';
import { Extras } from './overflow.ts';
import { readTails, writeTails } from './overflow-codec.ts';
import type { Layouts } from './layout.ts';

/** Overflow of feature entities, packed as bytes that the garbage collector does not scan. */
export class PackedExtras {
  readonly #packed: PackedBytes;
  readonly #layouts: Layouts;
  readonly #writer = new ByteWriter();

  constructor(arena: Arena, layouts: Layouts) {
    this.#packed = new PackedBytes(arena);
    this.#layouts = layouts;
  }

  /**
   * Returns the block; `undefined` if there are wide columns, which stay an object. Moving windows are rebuilt on
   * demand.
   */
  pack(extras: Extras): number | undefined {
    const { layout, wide } = extras;
    if (layout === undefined || wide.some((values) => values !== undefined)) return undefined;
    this.#writer.uint(layout.id);
    writeTails(this.#writer, extras, layout);
    return this.#writer.lend((bytes) => this.#packed.pack(bytes));
  }

  /** Unpacks a block and releases it. */
  unpack(block: number): Extras {
    const reader = new ByteReader(this.#packed.bytesOf(block));
    const layout = this.#layouts(reader.uint());
    const extras = new Extras(layout);
    readTails(reader, extras, layout);
    this.release(block);
    return extras;
  }

  release(block: number): void {
    this.#packed.release(block);
  }
}
