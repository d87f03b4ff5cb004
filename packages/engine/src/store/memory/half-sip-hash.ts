/** A secret of 64 bits, as two 32-bit whole numbers. */
export type HashKey = readonly [number, number];

/**
 * HalfSipHash-1-3 of 32-bit words, 32 bits: without the key, names that collide cannot be chosen.
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012), and the reference code's 32-bit variant.
 */
export class HalfSipHash {
  readonly #key0: number;
  readonly #key1: number;

  constructor([key0, key1]: HashKey) {
    this.#key0 = key0;
    this.#key1 = key1;
  }

  /**
   * Hash of the first `count` words. The last word must be the length of the content, which distinguishes it from
   * padding.
   */
  hash(words: Int32Array, count: number): number {
    // `| 0` keeps V8 on 32-bit integers instead of doubles.
    let v0 = this.#key0 | 0;
    let v1 = this.#key1 | 0;
    let v2 = v0 ^ 0x6c79_6765;
    let v3 = v1 ^ 0x7465_6462;
    for (let at = 0; at < count; at++) {
      const word = words[at]!;
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
    v2 ^= 0xff;
    // The same round, without an input word.
    for (let round = 0; round < 3; round++) {
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
    }
    return v1 ^ v3;
  }
}
