import { hash } from 'node:crypto';

/** The chain's first link: no decision yet. */
export const emptyDigest: Buffer = Buffer.alloc(32);

/**
 * The next link of the chain over all decisions, in the order in which they were made: SHA-256 of the link before
 * and the decision's canonical bytes. Equal chains are equal decisions, bit for bit.
 */
export function nextDigest(previous: Uint8Array, decision: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([previous, decision]), 'buffer');
}
