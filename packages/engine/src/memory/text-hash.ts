/**
 * A hash of 32 bits, signed, the same for ever and everywhere: decisions rest on it. Whoever can choose texts can make
 * them collide; tables that are open to such texts take `half-sip-hash.ts`.
 *
 * Source: FNV-1a over UTF-16 code units, http://www.isthe.com/chongo/tech/comp/fnv/, finished as MurmurHash3 is,
 * without which its high bits, and what the last characters count for, are poor
 */
export function textHash(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return hash ^ (hash >>> 16);
}
