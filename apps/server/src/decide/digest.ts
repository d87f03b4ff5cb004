import { hash } from 'node:crypto';

/** The chain's first link: no decision yet. */
export const emptyDigest: Buffer = Buffer.alloc(32);

/**
 * The next link of the chain over all decisions, in the order in which they were made: SHA-256 of the link before
 * and the decision's canonical bytes. Equal chains are equal decisions, bit for bit.
 */
export function nextDigest(previous: Uint8Array, decision: Uint8Array): Buffer {
  const size = previous.length + decision.length;
  if (size > link.length) link = Buffer.alloc(2 * size);
  link.set(previous);
  link.set(decision, previous.length);
  // A text of bytes is made quicker than a buffer of them, which takes memory of its own.
  return Buffer.from(hash('sha256', link.subarray(0, size), 'binary'), 'latin1');
}

/** What is hashed, put together: one piece of memory serves all links. */
let link: Buffer = Buffer.alloc(4_096);
