const basis = 0x811c_9dc5;
const prime = 0x0100_0193;

/**
 * A signed 32-bit hash that never changes, because decisions depend on it. Senders who choose texts can produce
 * collisions; tables that are exposed to such texts use `half-sip-hash.ts`.
 *
 * Source: FNV-1a over UTF-16 code units, http://www.isthe.com/chongo/tech/comp/fnv/, with the finalizer of
 * MurmurHash3, without which its high bits, and the influence of the last characters, are poor
 */
export function textHash(text: string): number {
  let hash = basis;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime);
  return finished(hash);
}

/** The same over bytes, with a seed: with seed 0 and ASCII it equals `textHash`. */
export function bytesHash(
  bytes: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number },
  seed: number,
): number {
  let hash = basis ^ seed;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, prime);
  return finished(hash);
}

/** The finalizer of MurmurHash3: every bit of the input affects every bit of the output. */
export function finished(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35);
  return mixed ^ (mixed >>> 16);
}
