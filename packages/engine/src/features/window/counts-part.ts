import type { Counts } from './counts.ts';

/** What lies in a window, by key. A whole row weighs 2, one of a bucket that the window cuts 1: half of it is meant. */
export class CountsPart {
  weight = 0;
  /** The greatest of `weights`; 0 for none. */
  top = 0;
  readonly weights = new Map<number, number>();
  #keys = new Int32Array(0);
  /** `undefined` when something was added since. */
  #upTo: Float64Array | undefined;

  /** @param each what a row of it weighs */
  add({ count, keys, counts }: Counts & { readonly count: number }, each: 1 | 2): void {
    this.weight += each * count;
    this.#upTo = undefined;
    for (let place = 0; place < keys.length; place++) {
      const weight = (this.weights.get(keys[place]!) ?? 0) + each * counts[place]!;
      this.weights.set(keys[place]!, weight);
      if (weight > this.top) this.top = weight;
    }
  }

  /** Keys in order. */
  get keys(): Int32Array {
    if (this.#keys.length < this.weights.size) this.#keys = Int32Array.from(this.weights.keys()).sort();
    return this.#keys;
  }

  /** By place of the key, its weight with those of all before it. */
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
