/**
 * Whether a value still counts when the count of distinct values was halved so many times. By the value's hash, so
 * that it is the same for every event and every entity.
 */
export function isSampled(text: string, halvings: number): boolean {
  return halvings === 0 || hashOf(text) >>> (32 - halvings) === 0;
}

/** FNV-1a over UTF-16 code units, then the last mixing step of MurmurHash3, without which its high bits are poor. */
export function hashOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return hash ^ (hash >>> 16);
}
