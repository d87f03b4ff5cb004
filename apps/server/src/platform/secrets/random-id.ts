import { randomFillSync } from 'node:crypto';

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Random bytes drawn in bulk: one call of the generator serves many ids. */
const pool = Buffer.alloc(4_096);
let at = pool.length;

/** A random id: lower-case base32 (RFC 4648), 5 bits a character. Safe in URLs, file names and SQL. */
export function randomId(length: number): string {
  let id = '';
  for (let i = 0; i < length; i++) {
    if (at === pool.length) {
      randomFillSync(pool);
      at = 0;
    }
    id += alphabet.charAt(pool[at++]! & 31);
  }
  return id;
}
