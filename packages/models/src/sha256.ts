import { encodeUtf8 } from '@ringfence/contract';

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const constants = Int32Array.of(
  0x428a2f98,
  0x71374491,
  0xb5c0fbcf,
  0xe9b5dba5,
  0x3956c25b,
  0x59f111f1,
  0x923f82a4,
  0xab1c5ed5,
  0xd807aa98,
  0x12835b01,
  0x243185be,
  0x550c7dc3,
  0x72be5d74,
  0x80deb1fe,
  0x9bdc06a7,
  0xc19bf174,
  0xe49b69c1,
  0xefbe4786,
  0x0fc19dc6,
  0x240ca1cc,
  0x2de92c6f,
  0x4a7484aa,
  0x5cb0a9dc,
  0x76f988da,
  0x983e5152,
  0xa831c66d,
  0xb00327c8,
  0xbf597fc7,
  0xc6e00bf3,
  0xd5a79147,
  0x06ca6351,
  0x14292967,
  0x27b70a85,
  0x2e1b2138,
  0x4d2c6dfc,
  0x53380d13,
  0x650a7354,
  0x766a0abb,
  0x81c2c92e,
  0x92722c85,
  0xa2bfe8a1,
  0xa81a664b,
  0xc24b8b70,
  0xc76c51a3,
  0xd192e819,
  0xd6990624,
  0xf40e3585,
  0x106aa070,
  0x19a4c116,
  0x1e376c08,
  0x2748774c,
  0x34b0bcb5,
  0x391c0cb3,
  0x4ed8aa4a,
  0x5b9cca4f,
  0x682e6ff3,
  0x748f82ee,
  0x78a5636f,
  0x84c87814,
  0x8cc70208,
  0x90befffa,
  0xa4506ceb,
  0xbef9a3f7,
  0xc67178f2,
);
const blockBytes = 64;

/**
 * SHA-256 of a text in UTF-8, in hex. For texts that are checked where no other implementation is at hand: a policy is
 * loaded in the browser too. A megabyte takes some 20 ms.
 *
 * Source: FIPS 180-4
 */
export function sha256(text: string): string {
  const message = padded(encodeUtf8(text));
  const state = Int32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  );
  const words = new Int32Array(64);
  for (let at = 0; at < message.length; at += blockBytes) addBlock(state, words, message.subarray(at, at + blockBytes));
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

function addBlock(state: Int32Array, words: Int32Array, block: Uint8Array): void {
  for (let at = 0; at < 16; at++) {
    const byte = at * 4;
    words[at] = (block[byte]! << 24) | (block[byte + 1]! << 16) | (block[byte + 2]! << 8) | block[byte + 3]!;
  }
  for (let at = 16; at < 64; at++) {
    const [early, late] = [words[at - 15]!, words[at - 2]!];
    const first = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const second = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words[at] = words[at - 16]! + first + words[at - 7]! + second;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let at = 0; at < 64; at++) {
    const fromE = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + fromE + ((e & f) ^ (~e & g)) + constants[at]! + words[at]!) | 0;
    const fromA = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (fromA + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  [a, b, c, d, e, f, g, h].forEach((word, at) => (state[at] = state[at]! + word));
}

/** Rotated to the right. */
function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** Followed by a bit, zeros, and the length in bits. */
function padded(bytes: Uint8Array): Uint8Array {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setUint32(whole.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(whole.length - 4, bytes.length * 8);
  return whole;
}
