/** A set of small whole numbers: one bit for each, up to the largest. */
export class BitSet {
  #words = new Uint32Array(32);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(value: number): void {
    const word = value >>> 5;
    const bit = 1 << (value & 31);
    if (word >= this.#words.length) {
      const grown = new Uint32Array(Math.max(word + 1, this.#words.length * 2));
      grown.set(this.#words);
      this.#words = grown;
    }
    if ((this.#words[word]! & bit) !== 0) return;
    this.#words[word]! |= bit;
    this.#size += 1;
  }
}
