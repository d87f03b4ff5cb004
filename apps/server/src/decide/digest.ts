import { hash } from 'node:crypto';

/** The first link of the chain: no decision yet. */
export const emptyDigest: Buffer = Buffer.alloc(32);

/**
 * The next link of the chain over all decisions, in the order in which they were made: SHA-256 of the previous link and
 * the decision's canonical bytes. Equal chains mean equal decisions, bit for bit.
 */
export function nextDigest(previous: Uint8Array, decision: Uint8Array): Buffer {
  const size = previous.length + decision.length;
  if (size > link.length) link = Buffer.alloc(2 * size);
  link.set(previous);
  link.set(decision, previous.length);
  // Decoding a binary string is faster than a buffer result, which allocates its own memory.
  return Buffer.from(hash('sha256', link.subarray(0, size), 'binary'), 'latin1');
}

/** The hash input; one buffer is reused for all links. */
let link: Buffer = Buffer.alloc(4_096);
