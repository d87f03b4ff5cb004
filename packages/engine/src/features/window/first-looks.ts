/** Values already met in the current scan, by number: one stamp per value instead of a set per scan. */
export class FirstLooks {
  #stamps = new Uint32Array(64);
  #stamp = 0;

  /** @param numbers values in the entity */
  begin(numbers: number): void {
    if (numbers > this.#stamps.length) this.#stamps = new Uint32Array(numbers * 2);
    if (this.#stamp === 0xffff_ffff) {
      this.#stamps.fill(0);
      this.#stamp = 0;
    }
    this.#stamp++;
  }

  isFirst(number: number): boolean {
    if (this.#stamps[number] === this.#stamp) return false;
    this.#stamps[number] = this.#stamp;
    return true;
  }
}
