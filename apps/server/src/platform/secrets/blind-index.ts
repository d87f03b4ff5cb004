import { createHmac, type Hmac } from 'node:crypto';
import { keyObjectOf } from './key-object.ts';
import { TextHmac } from './text-hmac.ts';

/** By the bytes of the key, for as long as those are referenced. */
const hmacs = new WeakMap<Uint8Array, TextHmac>();

/**
 * A keyed hash by which a value can be looked up without being stored: HMAC-SHA-256 under the workspace's `index` key,
 * 32 bytes. Equal values have equal indexes within one workspace, and never across two. `purpose` separates indexes of
 * different kinds; a client's has none.
 */
export function blindIndex(indexKey: Uint8Array, value: string, purpose = ''): Buffer {
  const text = purpose === '' ? value : `${purpose}\0${value}`;
  return textHmac(indexKey).digest(text) ?? indexHmac(indexKey).update(text).digest();
}

/** For values that are not text. Prefix the purpose and a NUL. */
export function indexHmac(indexKey: Uint8Array): Hmac {
  return createHmac('sha256', keyObjectOf(indexKey));
}

function textHmac(indexKey: Uint8Array): TextHmac {
  let made = hmacs.get(indexKey);
  if (made === undefined) {
    made = new TextHmac(indexKey);
    hmacs.set(indexKey, made);
  }
  return made;
}
