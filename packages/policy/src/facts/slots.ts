import type { Slots } from '../policy.ts';

/** Assigns each fact that is read a slot in the array of facts, in the order in which they are first read. */
export class SlotTable implements Slots {
  readonly #slots = new Map<string, number>();

  /** The slot of a path, assigned now if it has none yet. */
  readonly use = (path: string): number => {
    const known = this.#slots.get(path);
    if (known !== undefined) return known;
    const slot = this.#slots.size;
    this.#slots.set(path, slot);
    return slot;
  };

  readonly of = (path: string): number | undefined => this.#slots.get(path);

  get count(): number {
    return this.#slots.size;
  }
}
