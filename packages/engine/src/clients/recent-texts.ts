import { hashOf } from '../features/sampling.ts';

/** Texts up to which a look at the hash of each is quicker than a map, and smaller by far. */
const lookedAtMax = 32;

/** Values by text, in the order in which they were set last. Few stand in lists, many in a map. */
export class RecentTexts<Value> {
  #texts: string[] = [];
  /** Of each text. They lie in one piece, where the texts lie all over memory. */
  #hashes: number[] = [];
  #values: Value[] = [];
  #many: Map<string, Value> | undefined;

  get size(): number {
    return this.#many?.size ?? this.#texts.length;
  }

  get(text: string): Value | undefined {
    if (this.#many !== undefined) return this.#many.get(text);
    const place = this.#find(text);
    return place < 0 ? undefined : this.#values[place];
  }

  /** Sets a value that comes last from now on. */
  set(text: string, value: Value): void {
    this.delete(text);
    if (this.#many === undefined && this.#texts.length === lookedAtMax) this.#becomeMany();
    if (this.#many !== undefined) {
      this.#many.set(text, value);
      return;
    }
    this.#texts.push(text);
    this.#hashes.push(hashOf(text));
    this.#values.push(value);
  }

  delete(text: string): void {
    if (this.#many !== undefined) {
      this.#many.delete(text);
      if (this.#many.size === 0) this.#many = undefined;
      return;
    }
    const place = this.#find(text);
    if (place < 0) return;
    this.#texts.splice(place, 1);
    this.#hashes.splice(place, 1);
    this.#values.splice(place, 1);
  }

  /** The one that was set before all others. */
  oldest(): readonly [text: string, value: Value] | undefined {
    if (this.#many !== undefined) return this.#many.entries().next().value;
    return this.#texts.length === 0 ? undefined : [this.#texts[0]!, this.#values[0]!];
  }

  /** The oldest comes first. They must not change meanwhile. */
  *entries(): Generator<readonly [text: string, value: Value]> {
    if (this.#many !== undefined) yield* this.#many;
    else for (let place = 0; place < this.#texts.length; place++) yield [this.#texts[place]!, this.#values[place]!];
  }

  #find(text: string): number {
    const hash = hashOf(text);
    const hashes = this.#hashes;
    for (let place = hashes.length - 1; place >= 0; place--) {
      if (hashes[place] === hash && this.#texts[place] === text) return place;
    }
    return -1;
  }

  #becomeMany(): void {
    this.#many = new Map(this.entries());
    this.#texts = [];
    this.#hashes = [];
    this.#values = [];
  }
}
