/** A secret of 64 bits, as two 32-bit whole numbers. */
export type HashKey = readonly [number, number];

/**
 * HalfSipHash-1-3 of 32-bit words and a length, 32 bits: who does not know the key can't choose names that collide.
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), and the reference code's 32-bit variant.
 */
export class HalfSipHash {
  readonly #key0: number;
  readonly #key1: number;

  constructor([key0, key1]: HashKey) {
    this.#key0 = key0;
    this.#key1 = key1;
  }

  /** Of the first `count` words; the length, which stands behind them, tells apart what zeros fill up. */
  hash(words: Int32Array, count: number, length: number): number {
    let v0 = this.#key0;
    let v1 = this.#key1;
    let v2 = v0 ^ 0x6c79_6765;
    let v3 = v1 ^ 0x7465_6462;
    // One round for each word, then three to finish.
    for (let round = 0; round < count + 4; round++) {
      const word = round < count ? words[round]! : round === count ? length : 0;
      if (round === count + 1) v2 ^= 0xff;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    return v1 ^ v3;
  }
}
