import type { Counts } from './counts.ts';

/**
 * Counts by key in a window. A row weighs 2; a row of a bucket that the window cuts weighs 1, because half of it
 * counts.
 */
export class CountsPart {
  weight = 0;
  /** The greatest of `weights`; 0 if there are none. */
  top = 0;
  readonly weights = new Map<number, number>();
  #keys = new Int32Array(0);
  /** `undefined` if something was added since it was computed. */
  #upTo: Float64Array | undefined;

  /** @param each weight of one row */
  add({ count, keys, counts }: Counts & { readonly count: number }, each: 1 | 2): void {
    this.weight += each * count;
    this.#upTo = undefined;
    for (let place = 0; place < keys.length; place++) {
      const weight = (this.weights.get(keys[place]!) ?? 0) + each * counts[place]!;
      this.weights.set(keys[place]!, weight);
      if (weight > this.top) this.top = weight;
    }
  }

  /** Keys in ascending order. */
  get keys(): Int32Array {
    if (this.#keys.length < this.weights.size) this.#keys = Int32Array.from(this.weights.keys()).sort();
    return this.#keys;
  }

  /** Cumulative weight of each key and all smaller ones, by the key's position. */
  get upTo(): Float64Array {
    return (this.#upTo ??= this.#sumUp());
  }

  #sumUp(): Float64Array {
    const { keys } = this;
    const upTo = new Float64Array(keys.length);
    let total = 0;
    for (let place = 0; place < keys.length; place++) upTo[place] = total += this.weights.get(keys[place]!)!;
    return upTo;
  }
}
