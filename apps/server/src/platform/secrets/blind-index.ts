import { createHmac, type Hmac } from 'node:crypto';
import { keyObjectOf } from './key-object.ts';

/**
 * A keyed hash by which a value can be looked up without being stored: HMAC-SHA-256 under the workspace's `index` key,
 * 32 bytes. Equal values have equal indexes within one workspace, and never across two. `purpose` separates indexes of
 * different kinds; a client's has none.
 */
export function blindIndex(indexKey: Uint8Array, value: string, purpose = ''): Buffer {
  return indexHmac(indexKey)
    .update(purpose === '' ? value : `${purpose}\0${value}`)
    .digest();
}

/** For values that are not text. Prefix the purpose and a NUL. */
export function indexHmac(indexKey: Uint8Array): Hmac {
  return createHmac('sha256', keyObjectOf(indexKey));
}
