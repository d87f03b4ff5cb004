const basis = 0x811c_9dc5;
const prime = 0x0100_0193;

/**
 * A hash of 32 bits, signed, the same for ever and everywhere: decisions rest on it. Whoever can choose texts can make
 * them collide; tables that are open to such texts take `half-sip-hash.ts`.
 *
 * Source: FNV-1a over UTF-16 code units, http://www.isthe.com/chongo/tech/comp/fnv/, finished as MurmurHash3 is,
 * without which its high bits, and what the last characters count for, are poor
 */
export function textHash(text: string): number {
  let hash = basis;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime);
  return finished(hash);
}

/** The same over bytes, from a seed on: with 0, and of ASCII, it is `textHash`. */
export function bytesHash(
  bytes: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number },
  seed: number,
): number {
  let hash = basis ^ seed;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, prime);
  return finished(hash);
}

/** The last steps of MurmurHash3: every bit of a hash counts for every other. */
export function finished(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}
